import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')

/** What each module may import besides itself; docs/ARCHITECTURE.md says what it contains. Cycles are found by the linter. */
const MODULES: Record<string, string> = {
  'src/core': '',
  'src/compare': 'src/core',
  'src/marketplace': 'src/core',
  'src/sandbox': 'src/core',
  'src/store': 'src src/core src/marketplace',
  'src/sync': 'src/config src/core src/marketplace src/store',
  'src/closing': 'src/core src/marketplace src/store src/sync',
  'src/figures': 'src src/compare src/core src/marketplace src/store',
  'src/config': 'src/core src/store',
  'src/readiness': 'src/closing src/config src/core src/store',
  'src/metrics': 'src/core src/marketplace src/readiness src/store src/tables',
  'src/tables': 'src src/closing src/compare src/config src/core src/figures src/readiness src/store',
  'src/notify': 'src/config src/core src/marketplace src/readiness src/report-files src/store src/tables',
  'src/web': 'src/compare src/core src/readiness src/tables',
  'src/mcp': 'src src/core src/tables src/web',
  reports: 'src/compare src/core src/tables',
  'src/report-files': 'reports src src/core src/store src/tables',
  'src/pool': 'reports src/core src/report-files src/store src/tables src/web',
  jobs:
    'src/closing src/config src/core src/marketplace src/metrics src/notify src/readiness src/report-files src/store ' +
    'src/sync',
  'src/cli':
    'jobs src src/closing src/compare src/config src/core src/figures src/marketplace src/mcp src/metrics src/notify src/pool ' +
    'src/readiness src/report-files src/sandbox src/store src/sync src/tables src/web',
  src: 'src/config src/core src/notify',
}

/** The modules that may import a package. */
const PACKAGES: Record<string, string> = {
  'better-sqlite3': 'src/store',
  bullmq: 'jobs',
  commander: 'src/cli',
  croner: 'src/config',
  dotenv: 'src/config',
  exceljs: 'reports',
  fastify: 'src/web',
  fflate: 'src/figures',
  '@fastify': 'src/web',
  ioredis: 'jobs',
  '@modelcontextprotocol': 'src/mcp',
  'node-cron': 'src/config',
  nodemailer: 'src/notify',
  'p-limit': 'src/pool src/store',
  'p-retry': 'src/marketplace',
  pg: 'src/store',
  pino: 'jobs src',
  'pino-pretty': 'src',
  piscina: 'src/pool',
  preact: 'src/tables src/web',
  'preact-render-to-string': 'src/web',
  'prom-client': 'src/metrics',
  standardwebhooks: 'src/notify',
  'string-width': 'src/tables',
  undici: 'src/marketplace',
  'wrap-ansi': 'src/tables',
  yaml: 'src/config',
  zod: 'jobs src/cli src/compare src/config src/core src/figures src/mcp src/sandbox src/tables src/web',
}

const moduleOf = (path: string) => /^(src\/[^/]+|jobs|reports)\//.exec(path)?.[1] ?? 'src'

const IMPORT = /^(?:import|export)\s[^'()=]*?\bfrom '([^']+)'|\bimport\('([^']+)'\)/gm

/** `src/tables zod`: what the files of each module import, of other modules and packages. */
function* imports(): Generator<string> {
  for (const folder of ['src', 'jobs', 'reports']) {
    for (const name of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
      if (!/\.tsx?$/.test(name)) continue
      const file = join(folder, name)
      const text = readFileSync(join(ROOT, file), 'utf8')
      for (const [, fixed, dynamic] of text.matchAll(IMPORT)) {
        const specifier = fixed ?? dynamic ?? ''
        if (specifier.startsWith('node:')) continue
        const to = specifier.startsWith('.') ? moduleOf(join(dirname(file), specifier)) : specifier.split('/')[0]
        if (to !== moduleOf(file)) yield `${moduleOf(file)} ${to}`
      }
    }
  }
}

it('each module imports what it may, and nothing is allowed that none imports', () => {
  const modules = Object.entries(MODULES).flatMap(([from, all]) => all.split(' ').map((to) => `${from} ${to}`))
  const packages = Object.entries(PACKAGES).flatMap(([to, all]) => all.split(' ').map((from) => `${from} ${to}`))
  const allowed = [...modules, ...packages].filter((each) => !each.endsWith(' '))
  expect([...new Set(imports())].sort()).toEqual(allowed.sort())
})
