import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { OPERATIONS } from '../../src/web/api/api-routes.js'
import { openApiDocument } from '../../src/web/api/openapi.js'

const FILE = join(import.meta.dirname, '../../docs/api-openapi.json')
const document = JSON.parse(JSON.stringify(openApiDocument(OPERATIONS)))

it('docs/api-openapi.json is what the schemas say; `npm run openapi` renews it', () => {
  if (process.env.UPDATE_OPENAPI) writeFileSync(FILE, JSON.stringify(document))
  expect(JSON.parse(readFileSync(FILE, 'utf8'))).toEqual(document)
})

it('every reference of the document leads to a schema, and no schema is left over', () => {
  const text = JSON.stringify(document)
  const used = new Set([...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name))
  expect([...used].sort()).toEqual(Object.keys(document.components.schemas).sort())
  expect(text).not.toContain('__shared')
})

it('docs/API.md has a row for each operation', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/API.md'), 'utf8')
  const rows = [...text.matchAll(/^\| `(GET|POST|DELETE) (\/\S*)` \|/gm)].map(([, method, path]) => `${method} ${path}`)
  expect(rows.sort()).toEqual(OPERATIONS.map(({ method, path }) => `${method} ${path}`).sort())
})
