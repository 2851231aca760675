import { describe, expect, it } from 'vitest'
import { isLoopback, isLoopbackHostHeader } from '../../src/core/requests/loopback.js'

describe('loopback', () => {
  it.each(['localhost', 'LOCALHOST', 'foo.localhost', 'a.b.localhost', '127.0.0.1', '127.255.255.254', '::1', '[::1]'])(
    'accepts %s',
    (host) => expect(isLoopback(host)).toBe(true),
  )

  it.each([
    '',
    '.localhost',
    'localhost.example.com',
    'foolocalhost',
    'evil.example/.localhost',
    '127.0.0.1.example.com',
    '127.0.0.256',
    '128.0.0.1',
    '0.0.0.0',
    '::',
    '::2',
    'example.com',
  ])('rejects %j', (host) => expect(isLoopback(host)).toBe(false))

  it.each([
    ['localhost', true],
    ['foo.localhost:4780', true],
    ['127.0.0.1:4780', true],
    ['[::1]:4780', true],
    ['example.com:4780', false],
    ['localhost:4780:80', false],
    [undefined, false],
  ])('Host header %j: %s', (header, expected) => expect(isLoopbackHostHeader(header)).toBe(expected))
})
