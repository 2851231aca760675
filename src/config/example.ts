import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The example files of the package: above `src/config` in the sources, above `dist/src/config` when compiled. */
function readExample(name: string): string {
  const folders = ['../..', '../../..'].map((up) => join(import.meta.dirname, up))
  return readFileSync(join(folders.find((folder) => existsSync(join(folder, name))) ?? '', name), 'utf8')
}

/** A configuration that shows every key with its default. */
export const exampleConfig = (): string => readExample('quotekeeper.example.yaml')
/** The `.env` beside it, with empty values. */
export const exampleEnv = (): string => readExample('.env.example')

/** `ACME_API_KEY`: the environment variable of an organization's key. */
export const keyVariable = (org: string): string =>
  `${org
    .toUpperCase()
    .replace(/\W/g, '_')
    .replace(/^(?=\d)/, '_')}_API_KEY`

/** Whether a base URL has a host reserved for examples (RFC 2606), such as that of the example configuration. */
export const isExampleAddress = (baseUrl: string): boolean =>
  /(^|\.)example(\.(com|net|org))?$/.test(new URL(baseUrl).hostname)
