import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Anchor, parseAnchor } from '../../src/anchors/anchor.js'
import { appendAnchor, readAnchors } from '../../src/anchors/anchor-file.js'
import { parseAnchorTarget } from '../../src/anchors/anchor-target.js'
import { postAnchor } from '../../src/anchors/post-anchor.js'
import { testFolder } from '../helpers/test-folder.js'

const ANCHOR: Anchor = {
  database: '4c1a4a5e-2f4e-4d1c-9a39-0f3c5b0a7d11',
  decisions: 3,
  hash: 'ab'.repeat(32),
  at: '2026-11-21T12:00:00.000Z',
}

describe('an anchor file', () => {
  it('is created readable by its owner only and only grows', () => {
    const file = join(testFolder(), 'anchors.jsonl')
    let before = ''
    for (let round = 1; round <= 6; round++) {
      appendAnchor(file, { ...ANCHOR, decisions: round })
      const text = readFileSync(file, 'utf8')
      expect(text.startsWith(before)).toBe(true)
      before = text
    }
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readAnchors(file).map(({ anchor }) => anchor?.decisions)).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('is never a file of another kind', () => {
    const file = join(testFolder(), 'letter.txt')
    for (const text of ['Dear reader', '{}\n', `${JSON.stringify({ ...ANCHOR })}\n`, '\n\n']) {
      writeFileSync(file, text)
      expect(() => appendAnchor(file, ANCHOR)).toThrow('is not a file of anchors')
      expect(readFileSync(file, 'utf8')).toBe(text)
    }
    const folder = join(testFolder(), 'folder')
    mkdirSync(folder)
    for (const path of [folder, '/dev/null']) expect(() => appendAnchor(path, ANCHOR)).toThrow('not a regular file')
    const missing = join(testFolder(), 'missing', 'anchors.jsonl')
    expect(() => appendAnchor(missing, ANCHOR)).toThrow('its folder does not exist')
    expect(() => readAnchors(missing)).toThrow('There is no file')
    expect(existsSync(missing)).toBe(false)
  })
})

describe('a target for anchors', () => {
  const parse = (text: string) => parseAnchorTarget(text, (path) => `/at/${path}`)

  it('is a path, an https URL, or an http URL on this machine', () => {
    expect(parse('anchors.jsonl')).toEqual({ kind: 'file', path: '/at/anchors.jsonl' })
    expect(parse('https://audit.test/x?token=1')).toEqual({ kind: 'url', url: 'https://audit.test/x?token=1' })
    expect(parse('http://127.0.0.1:8080/x')).toMatchObject({ kind: 'url' })
    for (const text of ['http://audit.test/', 'ftp://audit.test/', 'https://me:pw@audit.test/', 'https://'])
      expect(parse(text)).toBeNull()
  })
})

async function listen(reply: RequestListener): Promise<string> {
  const server = createServer(reply)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook-secret-path?token=secret-token`
}

describe('posting an anchor', () => {
  it('sends one JSON document', async () => {
    const received: { method?: string; type?: string; url?: string; body: string }[] = []
    const url = await listen((request, response) => {
      let body = ''
      request.on('data', (part) => {
        body += part
      })
      request.on('end', () => {
        const { method, url, headers } = request
        received.push({ method: method ?? '', url: url ?? '', type: headers['content-type'] ?? '', body })
        response.writeHead(204).end()
      })
    })
    await postAnchor(url, ANCHOR)
    expect(received).toMatchObject([
      { method: 'POST', type: 'application/json', url: '/hook-secret-path?token=secret-token' },
    ])
    expect(parseAnchor(received[0]?.body ?? '')).toEqual(ANCHOR)
  })

  it.each([301, 400, 404, 500])('fails on status %i, and follows no redirect', async (status) => {
    let requests = 0
    const url = await listen((_request, response) => {
      requests++
      response.writeHead(status, { location: '/elsewhere' }).end('secret-token')
    })
    const error = await postAnchor(url, ANCHOR).catch((thrown: Error) => thrown)
    expect(error).toMatchObject({ name: 'AnchorError', message: expect.stringContaining(`status ${status}`) })
    expect(String(error)).not.toContain('secret')
    expect(requests).toBe(1)
  })

  it('fails without a reply in time, and without a server, naming only the origin', async () => {
    const silent = await listen(() => undefined)
    const messages = await Promise.all(
      [silent, 'http://127.0.0.1:1/secret-path'].map((url) =>
        postAnchor(url, ANCHOR, { timeoutMs: 50 }).catch((error: Error) => error.message),
      ),
    )
    expect(messages[0]).toContain('no reply within 0.05 s')
    expect(messages[1]).toContain('connection refused')
    expect(messages.join()).not.toContain('secret')
  })
})
