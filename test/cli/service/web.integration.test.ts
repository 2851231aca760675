import { expect, it, onTestFinished } from 'vitest'
import { webServerStarter } from '../../../src/cli/service/web.js'
import { createScrubber } from '../../../src/core/text/secret-scrubber.js'
import { collectSecrets } from '../../../src/log.js'
import { recordingLog } from '../../helpers/recording-log.js'
import { testConfig } from '../../helpers/test-config.js'

it('readiness shows no secret that an error of a library quotes', async () => {
  const config = testConfig({
    queue: { kind: 'redis', url: 'redis://:p%40ssword@host' },
  })
  const message = 'redis://:p%40ssword@host: WRONGPASS p@ssword'
  const scrub = createScrubber(collectSecrets(config))
  const server = await webServerStarter({ config, log: recordingLog() as never, scrub }, () => new Date(), {
    port: 0,
    plugins: [],
  })(async () => [{ name: 'queue', ok: false, message }], {} as never)
  onTestFinished(() => server.close())
  const reply = await fetch(`${server.url}/readyz`)
  expect(reply.status).toBe(503)
  expect(await reply.json()).toEqual({
    ready: false,
    checks: [{ name: 'queue', ok: false, message: 'redis://:[secret]@host: WRONGPASS [secret]' }],
  })
})
