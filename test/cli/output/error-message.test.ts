import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../../../src/cli/cli-error.js'
import { exitStatusFor, formatError } from '../../../src/cli/output/error-message.js'
import { ConfigError } from '../../../src/config/config-error.js'

function thrownBy(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error
  }
}

const noModule = await import(String('no-such-package')).catch((error) => error)

describe('error messages', () => {
  it('have a stack only if details are requested', () => {
    const error = new UsageError('no such thing; allowed: this', { cause: new Error('deep down') })
    expect(formatError(error)).toBe('quotekeeper: no such thing; allowed: this\n')
    const details = formatError(error, true)
    expect(details).toMatch(/^ {4}at /m)
    expect(details).toContain('caused by Error: deep down')
  })

  const failure = (facts: object, message = 'x') => Object.assign(new Error(message), facts)
  const incompatible = 'was compiled against a different Node.js version using NODE_MODULE_VERSION 127.'

  it.each([
    [
      failure({ code: 'EEXIST', syscall: 'mkdir', path: '/a/file' }),
      '/a/file is a file, but a folder is needed there: move it, or choose another path',
    ],
    [
      failure({ code: 'EACCES', syscall: 'open', path: '/x' }),
      'this user has no permission for /x: change the permissions, or choose another',
    ],
    [
      failure({ code: 'ENOSPC', syscall: 'write', path: '/x' }),
      'no space left on the disk for /x: free some space and run again',
    ],
    [
      failure({ code: 'EADDRINUSE', syscall: 'listen', address: '::1', port: 80 }),
      '::1:80 is in use by another program',
    ],
    [failure({ code: 'ENOENT', syscall: 'uv_cwd' }), 'the current folder does not exist any more'],
    [
      failure({ code: 'ERR_DLOPEN_FAILED' }, `The module 'x.node'\n${incompatible}`),
      `a compiled module does not match Node.js ${process.version}: run the Node.js version that`,
    ],
    [noModule, 'a file of the installation is missing: install Quotekeeper again ('],
    [thrownBy(() => new Database('/nowhere/x.db')), 'the folder of the database does not exist: create it, or check'],
  ])('add a remedy, and never call a mistake of the installation or of a path a bug: %s', (error, message) => {
    expect(formatError(error)).toMatch(/^quotekeeper: .*\n$/)
    expect(formatError(error)).toContain(message)
    expect(formatError(error)).not.toContain('This is a bug')
  })

  it('report any other error as a bug', () => {
    expect(formatError(new TypeError('x is not a function'))).toContain('This is a bug in Quotekeeper')
    expect(formatError('a string')).toContain('a string')
  })

  it('go with exit status 2 for usage and configuration errors, or else 1', () => {
    expect(exitStatusFor(new UsageError('x'))).toBe(2)
    expect(exitStatusFor(new ConfigError([]))).toBe(2)
    expect(exitStatusFor(new Error('x'))).toBe(1)
  })
})
