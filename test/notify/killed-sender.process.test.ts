import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { eventually } from '../helpers/eventually.js'
import { longIt } from '../helpers/long-tests.js'
import { openProcessFixture } from '../helpers/servers/process-fixture.js'
import { SECRET } from './feed-fixture.js'

longIt(
  'a page that a killed process was sending is sent again by the next one, and everything once in order after it',
  async () => {
    const pages: number[][] = []
    let hangs = true
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      pages.push((JSON.parse(body).events as { sequence: number }[]).map(({ sequence }) => sequence))
      if (!hangs) response.writeHead(204).end()
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`
    const more = `notify: { targets: { crm: { type: webhook, url: "${url}", secret: { file: crm.key } } } }\n`
    const { folder, start, sql } = await openProcessFixture({ more })
    writeFileSync(join(folder, 'crm.key'), SECRET)
    const first = start(['start'])
    await eventually(() => expect(pages).toHaveLength(1))
    first.signal('SIGKILL')
    expect(await first.ended).toBe('SIGKILL')
    hangs = false
    const second = start(['start'])
    const count = () => (sql('select count(*) as events from events') as { events: number }[])[0]?.events ?? 0
    await eventually(() => expect(pages.length).toBeGreaterThan(1))
    await eventually(() => expect(pages.slice(1).flat()).toHaveLength(count()))
    const [sent = [], ...again] = pages
    expect(again.flat()).toEqual(again.flat().map((_, at) => at + 1))
    expect(again.flat()).toEqual(expect.arrayContaining(sent))
    second.signal('SIGKILL')
  },
)
