import { expect, it } from 'vitest'
import { retryCommand } from '../../src/store/retry-command.js'

it('the command that sends a close again has the id of an RFQ without a number in quotes', () => {
  const commandFor = (rfqNumber: number | null, rfqId: string) => retryCommand('acme/forest', { rfqNumber, rfqId })
  const command = 'quotekeeper close-expired --channel acme/forest --retry'
  expect(commandFor(1042, 'r')).toBe(`${command} 1042`)
  expect(commandFor(null, '7d3a-b_c')).toBe(`${command} 7d3a-b_c`)
  expect(commandFor(null, "x'; $(id)")).toBe(`${command} 'x'\\''; $(id)'`)
})
