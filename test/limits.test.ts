import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, it } from 'vitest'
import type { z } from 'zod'
import { JOB_NAMES } from '../jobs/contract.js'
import { commands } from '../src/cli/commands/index.js'
import { buildProgram, createCli } from '../src/cli/program.js'
import { REASON_CODES } from '../src/closing/evaluate.js'
import { OFFER_FLAGS } from '../src/compare/offer/offer-report-model.js'
import { configSchema } from '../src/config/schema.js'
import { EVENT_KINDS } from '../src/core/events/events.js'
import { STOP_CODES } from '../src/core/records.js'
import { OPERATIONS } from '../src/web/api/api-routes.js'
import { openNewStore } from './helpers/store/new-store.js'
import { rowsOf } from './helpers/store/store-engine.js'
import { testIo } from './helpers/test-io.js'

interface Limits {
  /** The greatest number of lines that each module may have. */
  lines: Record<string, number>
  /** Everything of a kind that may exist. */
  lists: Record<string, string[]>
}

const ROOT = join(import.meta.dirname, '..')
const FILE = join(import.meta.dirname, 'limits.json')

/** The folders of each module; whatever no module names is `other`. */
const MODULES: Record<string, string[]> = {
  core: ['src/core'],
  compare: ['src/compare'],
  marketplace: ['src/marketplace'],
  store: ['src/store'],
  sync: ['src/sync'],
  closing: ['src/closing'],
  figures: ['src/figures'],
  tables: ['src/tables'],
  web: ['src/web', 'src/mcp'],
  cli: ['src/cli'],
  config: ['src/config'],
  notify: ['src/notify', 'src/metrics', 'src/readiness'],
  sandbox: ['src/sandbox'],
  jobs: ['jobs'],
  reports: ['reports'],
  pool: ['src/pool', 'src/report-files'],
}

/** The smaller number of each module, and what is still there of each list. */
function lowered(limits: Limits, present: Limits): Limits {
  return {
    lines: Object.fromEntries(
      Object.entries(limits.lines).map(([module, lines]) => [module, Math.min(lines, present.lines[module] ?? 0)]),
    ),
    lists: Object.fromEntries(
      Object.entries(limits.lists).map(([kind, list]) => [
        kind,
        list.filter((each) => present.lists[kind]?.includes(each)),
      ]),
    ),
  }
}

function linesOfModules(): Record<string, number> {
  const lines = Object.fromEntries([...Object.keys(MODULES), 'other'].map((module) => [module, 0]))
  for (const file of ['src', 'jobs', 'reports'].flatMap(sourcesIn)) {
    const isHere = (folder: string) => file.startsWith(`${folder}/`)
    const module = Object.keys(MODULES).find((name) => MODULES[name]?.some(isHere)) ?? 'other'
    lines[module] = (lines[module] ?? 0) + readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1
  }
  return lines
}

const sourcesIn = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|tsx|js|css|sql)$/.test(file))
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)

async function presentLists(): Promise<Record<string, string[]>> {
  const program = await buildProgram(createCli(testIo().io), () => true)
  const lists = {
    'tables and views': await tables(),
    'configuration keys': keysOf(configSchema({ folder: ROOT, env: {}, secretsRequired: false })),
    commands: commands.map(({ name }) => name),
    options: [program, ...program.commands].flatMap(optionsOf),
    'event kinds': Object.keys(EVENT_KINDS),
    'reason codes': [...REASON_CODES, ...STOP_CODES],
    flags: OFFER_FLAGS,
    'API operations': OPERATIONS.map(({ method, path }) => `${method} ${path}`),
    'job kinds': [...JOB_NAMES],
  }
  return Object.fromEntries(Object.entries(lists).map(([kind, list]) => [kind, [...new Set(list)].sort()]))
}

async function tables(): Promise<string[]> {
  const store = await openNewStore()
  const rows = await rowsOf(
    store,
    `select name from sqlite_schema where type in ('table', 'view') and name not like 'sqlite_%'`,
  )
  await store.close()
  return rows.map((row) => (row as { name: string }).name)
}

const optionsOf = (command: Command): string[] =>
  command.options.map(({ long, short }) => `${command.name()} ${long ?? short}`)

/** The paths of all keys that a schema accepts: `channels[].org`. */
function keysOf(schema: z.ZodType, path = ''): string[] {
  // zod's introspection API: what wraps other schemas.
  const def = schema.def as unknown as Record<string, z.ZodType> & { shape?: z.ZodRawShape; options?: z.ZodType[] }
  const within = (each: z.ZodType | undefined, to = path) => (each === undefined ? [] : keysOf(each, to))
  const keys = Object.entries(def.shape ?? {}).flatMap(([key, each]) => {
    const here = path === '' ? key : `${path}.${key}`
    return [here, ...within(each as z.ZodType, here)]
  })
  const wrapped = [def.in, def.out, def.innerType, ...(def.options ?? [])].flatMap((each) => within(each))
  return [...keys, ...wrapped, ...within(def.element, `${path}[]`), ...within(def.valueType, `${path}.*`)]
}

it('the tree stays within test/limits.json; `npm run limits` lowers it to what is there', async () => {
  const present: Limits = { lines: linesOfModules(), lists: await presentLists() }
  const limits: Limits = JSON.parse(readFileSync(FILE, 'utf8'))
  if (process.env.LOWER_LIMITS) {
    Object.assign(limits, lowered(limits, present))
    writeFileSync(FILE, `${JSON.stringify(limits, null, 2)}\n`)
  }
  expect.soft(present.lists).toEqual(limits.lists)
  expect(present.lines).toEqual(lowered(present, limits).lines)
})
