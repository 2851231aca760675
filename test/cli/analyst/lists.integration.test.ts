import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { createPolledFixture } from '../cli-fixture.js'

const widest = (text: string) => Math.max(...text.split('\n').map((line) => stringWidth(line)))

describe('lists', () => {
  it.each([
    ['a terminal', { width: 100 }, 100],
    ['$COLUMNS', { env: { COLUMNS: '90' } }, 90],
    ['120 columns elsewhere', {}, 120],
  ])('fit %s', async (_where, io, width) => {
    const { quotekeeper, quotekeeperWith } = await createPolledFixture()
    await quotekeeper('close-expired')
    const lists = [['rfqs'], ['compare', '1001', '--channel', 'acme/forest'], ['closings'], ['listings'], ['changes']]
    for (const args of lists) {
      const { out } = await quotekeeperWith(io, ...args)
      expect(widest(out), args.join(' ')).toBeLessThanOrEqual(width)
      expect(widest(out)).toBeGreaterThan(40)
    }
  })

  it('hold whole values in a file: every recommended offer, and names longer than a table has room for', async () => {
    const { quotekeeper, sandbox } = await createPolledFixture()
    const projectDeveloperName = 'A developer of forests, mangroves and soils in more than one country of the world'
    const rfq = sandbox.world.addRfq({ org: 'acme', channel: 'blue' }, { number: 4711 })
    for (let offer = 0; offer < 2; offer++)
      sandbox.world.addResponse(rfq.id, { projectDeveloperName, status: 'accepted' })
    await quotekeeper('sync')
    const rows = JSON.parse((await quotekeeper('rfqs', '--channel', 'acme/blue', '--json')).out)
    const [first, second] = rows.find(({ number }: { number: number }) => number === 4711).award
    for (const name of [first, second]) expect(name).toContain(projectDeveloperName)
    const { out } = await quotekeeper('rfqs', '--csv')
    expect(out).toContain(`,"${first}, ${second}",`)
  })

  it('have a limit in a table only, and say what it leaves out', async () => {
    const { quotekeeper } = await createPolledFixture()
    const limited = await quotekeeper('listings', '--limit', '2')
    expect(limited.err).toMatch(/^as of 09:30 UTC, 0 s ago; first 2 of 7 rows, a larger --limit shows more/)
    const rows = JSON.parse((await quotekeeper('listings', '--json', '--sort', '-available')).out)
    expect(rows).toHaveLength(7)
    expect(rows[0]).toMatchObject({
      available: Math.max(...rows.map(({ available }: { available: number }) => available)),
    })
    const { out } = await quotekeeper('listings', '--csv', '--channel', 'blue')
    expect(out.trim().split('\r\n')).toHaveLength(1 + 3)
    expect(out).toMatch(/^\ufeffproject,.*\bminPrice,minPriceCurrency\b/)
    const twice = await quotekeeper('listings', '--channel', 'blue', '--channel', 'forest')
    expect(twice).toMatchObject({ status: 2, err: expect.stringContaining('It can be given once only.') })
  })
})
