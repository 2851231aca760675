import { PostError, postJson } from '../marketplace/http/http-post.js'
import { type Anchor, AnchorError, formatAnchor } from './anchor.js'

/**
 * Posts an anchor as JSON. Does not follow redirects.
 * @throws AnchorError unless the reply is a 2xx; the reason of the signal when it is aborted
 */
export async function postAnchor(
  url: string,
  anchor: Anchor,
  options: { signal?: AbortSignal; timeoutMs?: number } = {},
): Promise<void> {
  const { status } = await postJson(url, formatAnchor(anchor), options).catch((error) => {
    if (!(error instanceof PostError)) throw error
    throw new AnchorError(`The anchor could not be sent to ${error.message}. Check the URL and the network.`)
  })
  if (status >= 200 && status < 300) return
  throw new AnchorError(`The anchor was not accepted by ${new URL(url).origin}: status ${status}. Check the URL.`)
}
