import type { RunEnd, RunHandle, RunStart, Store } from '../../../src/store/contract.js'

/** Begins a run, as a person would, in a step that lasts until the run is finished. */
export async function holdingRun(store: Pick<Store, 'beginRun'>, start: RunStart): Promise<RunHandle> {
  const run = await store.beginRun({ byHand: true, ...start })
  const end = new AbortController()
  await new Promise<void>((held, failed) => {
    const work = () =>
      new Promise<void>((released) => {
        end.signal.addEventListener('abort', () => released())
        held()
      })
    run.step(work).catch(failed)
  })
  const { finish } = run
  return Object.assign(run, {
    finish: (...args: Parameters<RunHandle['finish']>) => {
      end.abort()
      return finish(...args)
    },
  })
}

/** The end of a complete run that did nothing. */
export const runEnd = (changes: Partial<RunEnd> = {}): RunEnd => ({
  ...{ requests: 0, seen: 0, inserted: 0, changed: 0, unchanged: 0, missing: 0, invalid: 0, postponed: 0 },
  ...{ outcome: 'complete', error: null, cause: changes.error ?? null, stop: null, suspicious: null },
  ...{ failedItems: null, notBefore: null, requestRates: null, keyRefused: false, ...changes },
})
