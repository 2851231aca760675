import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { run } from '../../src/cli/program.js'
import { eventually } from '../helpers/eventually.js'
import { testFolder } from '../helpers/test-folder.js'
import { testIo } from '../helpers/test-io.js'

const tutorial = readFileSync(join(import.meta.dirname, '../../docs/TUTORIAL.md'), 'utf8')
const blocks = (language: string) =>
  [...tutorial.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, text = '']) => text)
const commands = blocks('sh')
  .flatMap((text) => text.split('\n'))
  .flatMap((line) => (line.startsWith('quotekeeper ') ? [line.split(' ').slice(1)] : []))

const NOW = new Date('2026-03-10T09:30:00.000Z')

/** Text without line breaks, marks of lists and dates: all dates are counted from the start of the marketplace. */
const normalize = (text: string) =>
  text
    .replaceAll(/\s+(- )?/g, ' ')
    .replaceAll(/\d{4}-\d\d-\d\d/g, 'DATE')
    .trim()

describe('docs/TUTORIAL.md', () => {
  it('has at most 900 words', () => {
    expect(tutorial.split(/\s+/).length).toBeLessThanOrEqual(900)
  })

  it('has commands that work one after another, and print what it says', { timeout: 60_000 }, async () => {
    const folder = testFolder()
    const printed: string[] = []

    /** Runs a command that goes on until Ctrl-C; answers once it has printed something. */
    async function startUntil(message: RegExp, args: string[]) {
      const stop = new AbortController()
      const { io, written } = testIo({ cwd: folder, now: () => NOW, stop: stop.signal })
      const ended = run(args, io)
      onTestFinished(() => stop.abort())
      await eventually(() => expect(written.out + written.err).toMatch(message), 20)
      const end = () => {
        stop.abort()
        return ended
      }
      return { text: written.out, end }
    }

    async function runCommand([name, ...args]: string[]): Promise<number> {
      if (name === 'sandbox') {
        const { text } = await startUntil(/MERIDIAN_API_KEY=.*\n/, [name, ...args, '--port', '0'])
        const [, config = '', variables = ''] =
          /\n\n(baseUrl: .*?)\n\nand this in \.env in the same folder:\n\n(.*)/s.exec(text) ?? []
        writeFileSync(join(folder, 'quotekeeper.yaml'), `${config}\nweb: { port: 0 }\nrequests: { perSecond: 5000 }\n`)
        writeFileSync(join(folder, '.env'), variables)
        return 0
      }
      if (name === 'start') return (await startUntil(/rfqs of meridian\/removals/, [name])).end()
      const cwd = name === 'init' ? testFolder() : folder
      const prompt = name === 'award' ? { ask: async () => 'yes' } : null
      const { io, written } = testIo({ cwd, now: () => NOW, prompt })
      const status = await run([name as string, ...args], io)
      printed.push(normalize(written.out))
      return status
    }

    expect(commands.length).toBeGreaterThan(12)
    for (const command of commands) expect([command, await runCommand(command)]).toEqual([command, 0])
    for (const text of blocks('text')) expect(printed.join('\n')).toContain(normalize(text))
  })
})
