import { describe, expect, it } from 'vitest'
import { closingPolicy } from '../../src/closing/contract.js'

const CLOSING = { maxPerRun: 3, maxClockSkewSeconds: 90 }
const CHANNEL = { timeZone: 'Europe/Berlin', graceHours: 2 }

describe('the closing policy of a channel', () => {
  it('does not exist with autoClose: off', () => {
    expect(closingPolicy(CLOSING, { ...CHANNEL, autoClose: 'off' })).toBeNull()
  })

  it.each(['on', 'dry-run'] as const)('with autoClose: %s has that mode and the limits as configured', (autoClose) => {
    expect(closingPolicy(CLOSING, { ...CHANNEL, autoClose })).toEqual({
      mode: autoClose,
      timeZone: 'Europe/Berlin',
      graceHours: 2,
      maxPerRun: 3,
      maxClockSkewSeconds: 90,
    })
  })
})
