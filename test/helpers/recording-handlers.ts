import type { JobHandler, JobHandlers, JobPayload } from '../../jobs/contract.js'

/** Handlers that record the jobs they begin and complete; all of them do the same work. */
export function recordingHandlers(work: JobHandler = async () => null) {
  const begun: string[] = []
  const done: { name: string; id: string; payload: JobPayload }[] = []
  const handler =
    (name: string): JobHandler =>
    async (payload, context) => {
      begun.push(context.id)
      const result = await work(payload, context)
      done.push({ name, id: context.id, payload })
      return result
    }
  const handlers: JobHandlers = {
    'poll-listings': handler('poll-listings'),
    'poll-rfqs': handler('poll-rfqs'),
    'close-expired': handler('close-expired'),
    'channel-report': handler('channel-report'),
    'rfq-report': handler('rfq-report'),
  }
  return { handlers, begun, done }
}

/** A gate that tests open: `passed` resolves when `open` is called. */
export function createGate(): { open: () => void; passed: Promise<null> } {
  let open: () => void = () => undefined
  const passed = new Promise<null>((resolve) => {
    open = () => resolve(null)
  })
  return { open, passed }
}
