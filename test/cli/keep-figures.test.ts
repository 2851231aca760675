import { expect, it } from 'vitest'
import { keepFigures } from '../../src/cli/pages/keep-figures.js'

it('figures are computed ahead until none are left, again after a while, also after an error, until it is stopped', async () => {
  const answers = [false, false, true, new Error('database is locked'), true]
  const moments: Date[] = []
  const errors: unknown[] = []
  const computeFigures = async ({ now }: { now: Date }) => {
    moments.push(now)
    const answer = answers.shift() ?? true
    if (answer instanceof Error) throw answer
    return answer
  }
  const now = () => new Date(moments.length)
  const stop = keepFigures(
    { computeFigures },
    { now, onError: (error) => errors.push(error), firstMs: 1, intervalMs: 1 },
  )
  await expect.poll(() => moments.length, { interval: 1 }).toBeGreaterThanOrEqual(6)
  stop()
  const count = moments.length
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(moments).toHaveLength(count)
  expect(moments.map(Number)).toEqual(moments.map((_moment, at) => at))
  expect(errors).toEqual([new Error('database is locked')])
})
