import { expect, it } from 'vitest'
import { once } from '../../src/core/async.js'

it('runs a function once and shares its promise, also while it is running', async () => {
  let runs = 0
  const next = once(async () => ++runs)
  expect(await Promise.all([next(), next()])).toEqual([1, 1])
  expect(await next()).toBe(1)
})

it('keeps a rejection instead of running again', async () => {
  let runs = 0
  const fails = once(async () => {
    runs++
    throw new Error('unreachable')
  })
  await expect(fails()).rejects.toThrow('unreachable')
  await expect(fails()).rejects.toThrow('unreachable')
  expect(runs).toBe(1)
})
