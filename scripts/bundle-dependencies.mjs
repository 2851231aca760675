// `npm pack` runs this before (`apply`) and after (`restore`) it packs, so that the package contains its dependencies and is
// installed with the versions of package-lock.json: npm applies the lock and the overrides in this repository only, and a
// shrinkwrap only in packages that come from a registry.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ORIGINAL = '.before-pack'

/** Changes a JSON file and keeps the original beside it. Writes a new file, because node_modules may consist of hard links. */
function change(path, edit) {
  if (!existsSync(path + ORIGINAL)) renameSync(path, path + ORIGINAL)
  const manifest = JSON.parse(readFileSync(path + ORIGINAL, 'utf8'))
  edit(manifest)
  rmSync(path, { force: true })
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`)
}

function restore(path) {
  if (existsSync(path + ORIGINAL)) renameSync(path + ORIGINAL, path)
}

// After an interrupted `npm pack`, the original is still beside it.
const original = existsSync(`package.json${ORIGINAL}`) ? `package.json${ORIGINAL}` : 'package.json'
const { dependencies, overrides } = JSON.parse(readFileSync(original, 'utf8'))
/** Overrides of what one package depends on. Those of all packages are within the ranges that their dependents allow. */
const nested = Object.entries(overrides).filter(([, versions]) => typeof versions === 'object')
const manifestOf = (name) => join('node_modules', name, 'package.json')

/** What is packed of large packages: without builds for browsers, maps and tests. */
const PACKED = {
  exceljs: ['excel.js', 'lib', 'index.d.ts'],
  luxon: ['build/node', '!**/*.map'],
  msgpackr: ['dist/node.cjs', 'node-index.js', '*.js', '*.ts', '*.cts'],
  bintrees: ['index.js', 'lib'],
  fastify: ['*.js', '*.d.ts', 'lib', 'types'],
  zod: ['**/*.js', '**/*.cjs', '**/*.d.ts', '**/*.d.cts', '**/package.json', '!src'],
  bullmq: ['dist/cjs', 'dist/esm/**/*.d.ts'],
  undici: ['*.js', '*.d.ts', 'lib', 'types'],
  '@modelcontextprotocol/server': ['dist', '!**/*.map'],
  '@modelcontextprotocol/core': ['dist', '!**/*.map'],
  'preact-render-to-string': ['dist', '!**/*.map'],
  ajv: ['dist', '!**/*.map'],
}

if (process.argv[2] === 'restore') {
  restore('package.json')
  for (const name of [...Object.keys(PACKED), ...nested.map(([each]) => each)]) restore(manifestOf(name))
} else {
  for (const name of new Set([...Object.keys(PACKED), ...nested.map(([each]) => each)])) {
    change(manifestOf(name), (manifest) => {
      // Without the overrides, npm would find the overridden versions wrong and install others beside them.
      if (typeof overrides[name] === 'object') Object.assign(manifest.dependencies, overrides[name])
      if (PACKED[name]) manifest.files = PACKED[name]
    })
  }
  change('package.json', (manifest) => {
    // Only while packing: npm does not apply overrides to bundled packages, so this would change the lock.
    manifest.bundleDependencies = Object.keys(dependencies)
    delete manifest.overrides
  })
}
