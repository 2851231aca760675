import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { it } from 'vitest'
import { openScenario } from './scenario.js'

it('serves a desk with a history', async () => {
  const story = await openScenario({
    now: new Date('2026-11-18T07:30:00Z'),
    channels: [
      { org: 'acme', channel: 'forest', theme: 'forest', listings: 12, rfqs: 14 },
      { org: 'meridian', channel: 'removals', theme: 'removal', listings: 8, rfqs: 9 },
    ],
    still: false,
    seed: 23,
  })
  await story.pollAfter(0)
  for (let day = 1; day <= 8; day++) await story.pollAfter(1)
  writeFileSync('/tmp/story/today.txt', await story.out('today'))
  writeFileSync('/tmp/story/changes.txt', await story.out('changes', '--since', 'yesterday'))
  writeFileSync('/tmp/story/rfqs.txt', await story.out('rfqs'))
  createServer(async (request, response) => {
    const body = await story.get(request.url ?? '/')
    const type = request.url?.startsWith('/assets') ? 'text/javascript' : 'text/html; charset=utf-8'
    response.setHeader('content-type', type).end(body)
  }).listen(4990)
  await new Promise((resolve) => setTimeout(resolve, 3_500_000))
}, 3_600_000)
