import { expect, it } from 'vitest'
import { createRfqFinder } from '../../src/cli/pages/find-rfq.js'
import type { RfqList } from '../../src/read-models/rfq-list.js'

it('the rows of one channel at a time are kept to find RFQs, so that addresses of any channel fill no memory', async () => {
  const reads: string[] = []
  const rows = async ({ channel = '' }) => {
    reads.push(channel)
    return channel.startsWith('acme/') ? [{ name: '1042', id: 'x' }] : []
  }
  const find = createRfqFinder({ rows } as unknown as RfqList)
  const channels = ['acme/forest', 'acme/forest', 'other/1', 'other/1', 'acme/forest', 'acme/peat', 'acme/forest']
  for (const channel of channels) await find({ channel, name: '1042', now: new Date() })
  expect(reads).toEqual(['acme/forest', 'other/1', 'other/1', 'acme/peat', 'acme/forest'])
})
