// Packs the package, installs it in an empty folder, and uses it there. Takes about a minute; `npm run test:package`.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const repository = resolve(import.meta.dirname, '../..')
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'quotekeeper-package-')))
const copy = join(folder, 'repository')
const empty = join(folder, 'empty')
const installed = join(empty, 'node_modules/quotekeeper')
// npm passes its own settings to scripts; the commands below must run as on a user's command line.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith('npm_')))
const run = (cwd, command, ...args) =>
  execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 2 ** 28 })

/** Packing changes files, so it runs in a copy: the files that are or may be committed, and node_modules. */
function copyRepository() {
  mkdirSync(copy)
  const files = run(repository, 'git', 'ls-files', '--cached', '--others', '--exclude-standard', '-z').split('\0')
  for (const file of files) {
    // node_modules may be a link.
    if (file === '' || file === 'node_modules' || !existsSync(join(repository, file))) continue
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(repository, file), join(copy, file))
  }
  const modules = realpathSync(join(repository, 'node_modules'))
  // Hard links are fast, but not every system has them.
  const linked = spawnSync('cp', ['-al', modules, join(copy, 'node_modules')])
  if (linked.status !== 0) cpSync(modules, join(copy, 'node_modules'), { recursive: true, verbatimSymlinks: true })
}

function pack() {
  const before = readFileSync(join(copy, 'package.json'), 'utf8')
  const [{ unpackedSize }] = JSON.parse(run(copy, 'npm', 'pack', '--json'))
  assert.ok(unpackedSize <= 50e6, `${unpackedSize} bytes`)
  assert.equal(readFileSync(join(copy, 'package.json'), 'utf8'), before, 'packing must restore package.json')
  return join(
    copy,
    readdirSync(copy).find((name) => name.endsWith('.tgz')),
  )
}

/**
 * The empty folder is a project of its own: without a package.json, npm would install into any folder above it that has one.
 *
 * Scripts are not run, because compiling the native binding takes minutes; `npm ci` ran the same script of the same version,
 * so its result is copied.
 */
function install(file) {
  mkdirSync(empty)
  writeFileSync(join(empty, 'package.json'), '{ "private": true }\n')
  run(empty, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', file)
  const binding = 'node_modules/better-sqlite3/build'
  cpSync(join(repository, binding), join(installed, binding), { recursive: true })
}

/** The name and version of every package below a package, except some with all below them. */
function versionsIn(tree, except = new Set()) {
  const found = new Set()
  const visit = ({ dependencies = {} }) => {
    for (const [name, each] of Object.entries(dependencies)) {
      const nameAndVersion = `${name}@${each.version}`
      if (except.has(nameAndVersion)) continue
      if (each.version !== undefined) found.add(nameAndVersion)
      visit(each)
    }
  }
  visit(tree)
  return [...found].sort()
}

/** Packages that only development needs. npm lists one also where a dependency works together with it if it is there. */
function developmentOnly() {
  const { packages } = JSON.parse(readFileSync(join(copy, 'package-lock.json'), 'utf8'))
  const found = Object.entries(packages).filter(([, { dev, devOptional }]) => dev || devOptional)
  return new Set(found.map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`))
}

function compareVersions() {
  const tree = JSON.parse(run(empty, 'npm', 'ls', '--all', '--json'))
  assert.equal(tree.problems, undefined)
  const dependencies = JSON.parse(run(copy, 'npm', 'ls', '--all', '--omit=dev', '--json'))
  const expected = versionsIn(dependencies, developmentOnly())
  assert.ok(expected.length > 100)
  assert.deepEqual(versionsIn(tree.dependencies.quotekeeper), expected)
  return expected.length
}

function useProgram() {
  const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
  assert.equal(run(empty, 'npx', 'quotekeeper', '--version').trim(), version)
  // npm runs commands with the shell, so this is what a user types and sees.
  const init = spawnSync('npx', ['quotekeeper', 'init'], { cwd: empty, env, encoding: 'utf8' })
  assert.equal(init.status, 0, init.stderr)
  assert.match(init.stderr, /Run: quotekeeper check/)

  for (const [command, args] of [
    ['npx', ['quotekeeper']],
    ['node', ['node_modules/.bin/quotekeeper']],
  ]) {
    const demo = run(empty, command, ...args, 'demo', '--once')
    const commands = [...demo.matchAll(/^ {2}(\S+ \S*quotekeeper --config .*)$/gm)].map(([, line]) => line)
    assert.equal(commands.length, 5, demo)
    for (const line of commands) assert.notEqual(run(empty, 'sh', '-c', line), '', line)
    const [, workbook] = /^(\S+\.xlsx)$/m.exec(demo) ?? []
    assert.ok(existsSync(workbook), demo)
    rmSync(/^(\S*quotekeeper-demo-\w+)$/m.exec(demo)[1], { recursive: true })
  }
}

try {
  copyRepository()
  install(pack())
  const count = compareVersions()
  useProgram()
  console.log(`The installed package has the ${count} dependencies of package-lock.json, and works.`)
} catch (error) {
  console.error(error.stderr ?? '', error)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
