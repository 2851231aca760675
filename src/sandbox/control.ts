import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { isLoopbackHostHeader } from '../core/requests/loopback.js'
import { errorReply, jsonReply, type Reply } from './api.js'
import { type Faults, jsonFault } from './faults.js'

/** Where faults are added (POST) and removed (DELETE) over HTTP. */
const FAULTS_PATH = /^\/_sandbox\/faults(?:\/(\d+))?$/
export const isControlRequest = (url = ''): boolean => url.startsWith('/_sandbox/')

/** Performs a control request. Never throws because of what a client sends. */
export async function control(faults: Faults, request: IncomingMessage): Promise<Reply> {
  const { headers, method, url = '' } = request
  // A web page opened on this machine must not control the sandbox, by DNS rebinding or by a form.
  if (headers.origin !== undefined || !isLoopbackHostHeader(headers.host))
    return errorReply(403, 'Only allowed from this machine, and not from a web page')
  const [path, id] = FAULTS_PATH.exec(url) ?? []
  if (path === undefined || (method !== 'DELETE' && (method !== 'POST' || id !== undefined)))
    return errorReply(404, 'Allowed: POST /_sandbox/faults, DELETE /_sandbox/faults, DELETE /_sandbox/faults/{id}')
  if (method === 'DELETE') {
    faults.clear(id === undefined ? undefined : Number(id))
    return { status: 204, body: Buffer.alloc(0) }
  }
  try {
    return jsonReply(200, { id: faults.add(jsonFault.parse(JSON.parse(await text(request)))).id })
  } catch (error) {
    return errorReply(400, error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message)
  }
}
