import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/commands/index.js'
import { buildProgram, createCli, run } from '../../src/cli/program.js'
import { VERSION } from '../../src/version.js'
import { testFolder } from '../helpers/test-folder.js'
import { testIo } from '../helpers/test-io.js'

let folder: string
beforeEach(() => {
  folder = testFolder()
})

async function quotekeeper(...args: string[]) {
  const { io, written } = testIo({ cwd: folder })
  return { status: await run(args, io), ...written }
}

describe('the program', () => {
  it('has the version of package.json', async () => {
    const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
    expect(VERSION).toBe(manifest.version)
    expect(await quotekeeper('--version')).toEqual({ status: 0, out: `${VERSION}\n`, err: '' })
  })

  it('lists every command in the help, in two groups, for analysts and for operation', async () => {
    const { out } = await quotekeeper('--help')
    const [, analyst = '', operation = ''] = out.split(/^(?:Analyst|Operation):$/m)
    const namesIn = (text: string) => [...text.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name)
    expect(namesIn(analyst)).toEqual(['today', 'rfqs', 'compare', 'changes', 'award', 'report', 'listings', 'export'])
    expect(namesIn(operation).slice(0, 3)).toEqual(['init', 'check', 'sync'])
    expect([...namesIn(analyst), ...namesIn(operation)].sort()).toEqual(
      expect.arrayContaining(commands.map(({ name }) => name)),
    )
    expect(out).not.toMatch(/^Commands:$/m)
  })

  it('has options that mean the same in every command', async () => {
    const program = await buildProgram(createCli(testIo().io), () => true)
    const meanings = new Map<string, Set<string>>()
    for (const { options } of program.commands) {
      for (const { long, flags, description } of options) {
        const meaning = `${flags}: ${description.replace(/ \(default: .*\)$/, '')}`
        meanings.set(long ?? '', (meanings.get(long ?? '') ?? new Set()).add(meaning))
      }
    }
    const shared = ['--as-of', '--rfq', '--set', '--volume', '--limit', '--csv', '--wide']
    for (const long of shared) expect([long, [...(meanings.get(long) ?? [])]]).toEqual([long, [expect.any(String)]])
  })

  it.each(commands.map(({ name }) => name))('ends the help of %s with an example', async (name) => {
    const { status, out, err } = await quotekeeper(name, '--help')
    expect({ status, err }).toEqual({ status: 0, err: '' })
    expect(out.split(/^Examples?:$/m)[1]).toMatch(new RegExp(`^ {2}\\$ quotekeeper ${name}\\b`, 'm'))
    expect(out.split('\n').filter((line) => line.length > 100)).toEqual([])
  })

  it.each([
    ['an unknown command', ['rfs'], /unknown command 'rfs'.*\n.*rfqs/],
    ['an invalid number', ['runs', '--limit', '0'], /a whole number from 1/],
    ['an invalid log level', ['--log-level', 'loud', 'rfqs'], /debug/],
  ])('rejects %s with status 2 and states what is allowed', async (_what, args, message) => {
    const { status, out, err } = await quotekeeper(...args)
    expect({ status, out }).toEqual({ status: 2, out: '' })
    expect(err).toMatch(message)
  })

  it('reports every configuration error', async () => {
    writeFileSync(join(folder, 'my.yaml'), 'baseUrl: ftp://x\nchannels: []\n')
    const { status, err } = await quotekeeper('--config', 'my.yaml', 'rfqs')
    expect(status).toBe(2)
    expect(err).toContain(`${join(folder, 'my.yaml')}:1  baseUrl`)
    expect(err).toContain(`${join(folder, 'my.yaml')}:2  channels`)
  })
})
