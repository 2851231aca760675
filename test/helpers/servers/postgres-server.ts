import type { TestProject } from 'vitest/node'
import { PrivatePostgres, postgresSkipReason } from './private-postgres.js'

/** Starts the server of the project `contract`. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  if (postgresSkipReason !== null) throw new Error(`These tests need PostgreSQL: ${postgresSkipReason}.`)
  const server = await PrivatePostgres.start()
  project.provide('postgresUrl', server.url)
  return () => server.remove()
}
