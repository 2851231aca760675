import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { commands } from '../../src/cli/commands/index.js'
import { addListOptions } from '../../src/cli/commands/list-command.js'
import { buildProgram, createCli } from '../../src/cli/program.js'
import { OVERRIDES } from '../../src/config/environment.js'
import { exampleConfig } from '../../src/config/example.js'
import { SETTING_LIMITS } from '../../src/core/decision/settings.js'
import type { ListName } from '../../src/tables/lists/lists.js'
import { testIo } from '../helpers/test-io.js'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** The sections of a Markdown text under third-level headings, by heading. */
function sections(text: string): Map<string, string> {
  const parts = text.split(/^### /m).slice(1)
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), part.split(/^##? /m)[0] as string]))
}

const program = await buildProgram(createCli(testIo().io), () => true)
const flagsOf = (command: Command) =>
  command.options
    .filter(({ hidden }) => !hidden)
    .map(({ flags }) => flags.replace(/^-\w, /, ''))
    .filter((flags) => !flags.startsWith('--help'))
const namesOf = (flags: readonly string[]) => flags.map((each) => each.split(' ')[0] as string)

/** What the section Lists documents for all of them. */
function listOptionsOf(command: string): string[] {
  const name = { award: 'awards', notify: 'targets' }[command] ?? command
  const list = new Command()
  addListOptions(list, name as ListName)
  return namesOf(flagsOf(list))
}

describe('docs/COMMANDS.md', () => {
  const documented = sections(read('docs/COMMANDS.md'))

  it('has exactly one section per command', () => {
    expect([...documented.keys()].sort()).toEqual(commands.map(({ name }) => name).sort())
  })

  it.each(program.commands.map((command) => [command.name(), command] as const))(
    'documents exactly the options of %s',
    (name, command) => {
      const section = documented.get(name) ?? ''
      const own = [...section.matchAll(/^\| `(--[^`]+)` \|/gm)].map(([, flags = '']) => flags)
      for (const flags of own) expect(flagsOf(command)).toContain(flags)
      const [shared = ''] = /^Also .*$/m.exec(section) ?? []
      const named = [...namesOf(own), ...[...shared.matchAll(/`(--[\w-]+)`/g)].map(([, name = '']) => name)]
      const options = namesOf(flagsOf(command))
      const ofList = section.includes('](#lists)') ? listOptionsOf(name) : []
      expect(named).toEqual(expect.arrayContaining(options.filter((each) => !ofList.includes(each))))
      for (const each of named) expect(options).toContain(each)
      expect(section).toMatch(new RegExp(`^quotekeeper ${name}\\b`, 'm'))
    },
  )

  it('documents the global options, and those that commands share', () => {
    const [top = '', shared = ''] = read('docs/COMMANDS.md').split('## Shared options')
    for (const flags of flagsOf(program)) expect(top).toContain(`\`${flags}\``)
    for (const [, names = ''] of read('docs/COMMANDS.md').matchAll(/^Also \[shared options\]\(.*?\): (.*)\.$/gm))
      for (const name of names.split(', ')) expect(shared).toContain(`| ${name.replace(/`$/, '')}`)
  })

  it('states the actual defaults', () => {
    for (const command of program.commands) {
      for (const { flags, defaultValue } of command.options) {
        if (defaultValue === undefined) continue
        const row = documented
          .get(command.name())
          ?.split('\n')
          .find((line) => line.includes(`\`${flags}\``))
        expect(row).toContain(`default ${defaultValue}`)
      }
    }
  })
})

describe('docs/CONFIGURATION.md', () => {
  const text = read('docs/CONFIGURATION.md')
  const [keys = ''] = text.split('## Environment variables')
  const rows = [...keys.matchAll(/^\| `([\w.[\]]+)` \| (?:`([^`]*)`|–) \|/gm)].map(
    ([, key, value]) => [key, value] as const,
  )
  const example = leaves(parse(exampleConfig()))

  it('documents exactly the existing keys', () => {
    expect(rows.map(([key]) => key).sort()).toEqual([...example.keys(), 'channels', 'logLevel'].sort())
  })

  it('states the same defaults as the example configuration', () => {
    const differ = ['channels[].autoClose', 'web.token', 'web.tokens', 'logLevel']
    for (const [key, value] of rows) {
      if (value === undefined || differ.includes(key as string)) continue
      expect([key, value]).toEqual([key, formatDefault(example.get(key as string))])
    }
  })

  it('states the limits of the report settings', () => {
    const limitsOf = (key: string) => SETTING_LIMITS[key as keyof typeof SETTING_LIMITS]
    const limited = rows.flatMap(([key = '']) => {
      const limits = limitsOf(key.replace('reports.', ''))
      return limits === undefined || !key.startsWith('reports.') ? [] : [{ key, limits }]
    })
    expect(limited).toHaveLength(3)
    for (const { key, limits } of limited) {
      expect(text).toMatch(
        new RegExp(`^\\| \`${key}\` \\| \`[^|]*\` \\| ${limits.join(' to ')}(, or \`(null|unlimited)\`)? \\|`, 'm'),
      )
    }
  })

  it('documents every environment variable that overrides a key', () => {
    for (const [variable, key] of Object.entries(OVERRIDES))
      expect(text).toMatch(new RegExp(`\`${variable}\` \\| \`${key}\``))
  })
})

/** The leaves of the example, by path; sections without keys and references to secrets are leaves. */
function leaves(value: Record<string, unknown>, path = ''): Map<string, unknown> {
  return new Map(
    Object.entries(value).flatMap(([key, each]) => {
      const here = path === '' ? key : `${path}.${key}`
      if (Array.isArray(each) && each.length > 0) return [...leaves(each[0], `${here}[]`)]
      const section =
        typeof each === 'object' &&
        each !== null &&
        !Array.isArray(each) &&
        !('env' in each) &&
        Object.keys(each).length > 0
      return section ? [...leaves(each as Record<string, unknown>, here)] : [[here, each] as [string, unknown]]
    }),
  )
}

const formatDefault = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))

describe('README.md', () => {
  const text = read('README.md')
  const scripts = JSON.parse(read('package.json')).scripts as Record<string, string>

  it('mentions only existing npm scripts', () => {
    const named = [...text.matchAll(/npm run ([\w:-]+)|npm (test)\b/g)].map(([, script, test]) => script ?? test)
    expect(named.length).toBeGreaterThan(2)
    for (const script of named) expect(scripts).toHaveProperty([script as string])
  })

  it('mentions only existing commands and options', () => {
    const lines = [...text.matchAll(/^\s*quotekeeper (.+)$/gm)].map(
      ([, line]) => line?.replace(/\s+#.*$/, '') as string,
    )
    expect(lines.length).toBeGreaterThan(5)
    for (const line of lines) {
      const message = line.split(/\s+/)
      const command = program.commands.find((each) => message.includes(each.name()))
      expect({ line, command: command?.name() }).toEqual({ line, command: expect.any(String) })
      const known = [...program.options, ...(command as Command).options].map(({ long }) => long)
      for (const word of message.filter((each) => each.startsWith('--'))) expect(known).toContain(word)
    }
  })
})

describe('documents of the package', () => {
  const { files } = JSON.parse(read('package.json')) as { files: string[] }
  const packed = ['README.md', 'LICENSE', ...files]
  const documents = [
    'README.md',
    ...files.filter((name) => name.endsWith('.md')),
    ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => join('docs', name)),
  ].filter((name) => name.endsWith('.md'))

  it.each(documents)('%s links to files of the package and their headings only', (name) => {
    for (const [, target = '', anchor] of read(name).matchAll(/\]\(([^)\s#]*)(?:#([^)\s]+))?\)/g)) {
      if (/^[a-z]+:/i.test(target)) continue
      const path = target === '' ? name : normalize(join(dirname(name), target))
      expect(existsSync(join(root, path)), target).toBe(true)
      expect(
        packed.some((each) => path === each || path.startsWith(`${each}/`)),
        target,
      ).toBe(true)
      if (anchor !== undefined) expect(anchorsOf(read(path)), target).toContain(anchor)
    }
  })
})

/** The anchors that GitHub gives to the headings of a Markdown text. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
