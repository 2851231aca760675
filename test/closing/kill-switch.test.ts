import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { closingKillSwitch } from '../../src/closing/kill-switch.js'
import { testFolder } from '../helpers/test-folder.js'

function openSwitch() {
  const folder = testFolder()
  const closing = { enabled: true }
  return {
    folder,
    closing,
    stopFile: join(folder, 'closing.stop'),
    reason: closingKillSwitch({ closing, database: join(folder, 'quotekeeper.db'), file: '/nowhere/quotekeeper.yaml' }),
  }
}

describe('the kill switch of closing', () => {
  it('stops nothing while closing is enabled and there is no stop file beside the database', () => {
    const { folder, reason } = openSwitch()
    writeFileSync(join(folder, 'closing.stop.txt'), '')
    mkdirSync(join(folder, 'sub'))
    writeFileSync(join(folder, 'sub', 'closing.stop'), '')
    expect(reason()).toBeNull()
  })

  it('is beside the configuration if the database is on a server', () => {
    const folder = testFolder()
    const database = 'postgres://me@host/desk'
    const reason = closingKillSwitch({ closing: { enabled: true }, database, file: join(folder, 'quotekeeper.yaml') })
    expect(reason()).toBeNull()
    writeFileSync(join(folder, 'closing.stop'), '')
    expect(reason()).toBe(`stop file ${join(folder, 'closing.stop')} exists`)
  })

  it('stops closing with closing.enabled: false', () => {
    const { closing, reason } = openSwitch()
    closing.enabled = false
    expect(reason()).toBe('closing.enabled is false in the configuration')
  })

  it('stops closing as soon as the stop file exists, even if it is empty, and until it is removed', () => {
    const { stopFile, reason } = openSwitch()
    for (let round = 0; round < 6; round++) {
      writeFileSync(stopFile, '')
      expect(reason()).toBe(`stop file ${stopFile} exists`)
      rmSync(stopFile)
      expect(reason()).toBeNull()
    }
  })

  it('stays on without the stop file if the configuration says so, and with it whatever the configuration says', () => {
    const { closing, stopFile, reason } = openSwitch()
    writeFileSync(stopFile, '')
    expect(reason()).not.toBeNull()
    closing.enabled = false
    expect(reason()).not.toBeNull()
    rmSync(stopFile)
    expect(reason()).not.toBeNull()
  })
})
