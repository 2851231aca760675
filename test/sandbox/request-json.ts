import type { Sandbox } from '../../src/sandbox/index.js'

export interface JsonReply {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect untyped bodies
  body: any
}

/** Sends a request to a sandbox; the default key is that of the organization in the path. */
export async function requestJson(
  sandbox: Pick<Sandbox, 'url' | 'keys'>,
  path: string,
  options: { method?: string; key?: string | null; body?: string } = {},
): Promise<JsonReply> {
  const key = options.key === undefined ? sandbox.keys[path.split('/')[3] ?? ''] : options.key
  const response = await fetch(`${sandbox.url}${path}`, {
    method: options.method ?? 'GET',
    headers: key ? { authorization: key } : {},
    redirect: 'manual',
    ...(options.body === undefined ? {} : { body: options.body }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: parse(text) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
