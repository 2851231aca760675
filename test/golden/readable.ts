import { readFile, rm } from 'node:fs/promises'
import type exceljs from 'exceljs'
import { INVISIBLE } from '../../src/core/text/clean-text.js'
import { plainValue, sheetsOf } from '../reports/support/workbooks.js'

const WIDTH = 140

/** JSON with every value that fits on one line. */
export function readableJson(value: unknown, indent = ''): string {
  const line = JSON.stringify(value)
  if (typeof value !== 'object' || value === null || line.length + indent.length <= WIDTH) return line
  const inner = `${indent}  `
  const members = Array.isArray(value)
    ? value.map((each) => readableJson(each, inner))
    : Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${readableJson(each, inner)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${members.map((each) => `${inner}${each}`).join(',\n')}\n${indent}${close}`
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' }

const BLOCKS =
  /<\/?(p|div|li|ul|ol|tr|table|caption|h\d|section|header|footer|nav|main|form|dt|dd|dl|details|summary|br|article|label|button|aside|select)\b[^>]*>/g

/** The text that a page shows: each block and each row of a table on a line. Charts are left out. */
export const visibleText = (html: string): string =>
  html
    .replace(/<(head|script|style|svg)\b.*?<\/\1>/gs, '')
    .replace(/\s+/g, ' ')
    .replace(/<tr\b.*?<\/tr>/g, (row) => `\n${row.replace(/<\/(td|th)>/g, ' | ').replace(BLOCKS, ' ')}\n`)
    .replace(/<\/option>/g, ' / ')
    .replace(BLOCKS, '\n')
    .replace(/<\/(a|span|time|strong)>(?=<)/g, ' ')
    .replace(/<[^>]*>/g, '')
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/&(\w+);/g, (whole, name) => ENTITIES[name] ?? whole)
    .split('\n')
    .map((line) =>
      line
        .replace(/ +/g, ' ')
        .replace(/[ |/]+$/, '')
        .trim(),
    )
    .filter((line) => line !== '')
    .map((line) => `${line}\n`)
    .join('')

/** The sheets of a workbook: the values of each row, without empty and repeated cells. Removes the file. */
export async function workbookText(path: string): Promise<string> {
  const sheets = await sheetsOf(await readFile(path))
  await rm(path)
  return sheets.map((sheet) => `## ${sheet.name}\n\n${rowsOf(sheet).join('\n')}\n`).join('\n')
}

function rowsOf(sheet: exceljs.Worksheet): string[] {
  const rows: string[] = []
  sheet.eachRow((row, number) => {
    const cells: string[] = []
    row.eachCell((cell) => void (cell.master === cell && cells.push(shownIn(cell))))
    const shown = cells.filter((text) => text !== '')
    if (shown.length > 0) rows.push(`${number}: ${shown.join(' | ')}`)
  })
  return rows
}

const shownIn = (cell: exceljs.Cell): string => String(plainValue(cell) ?? '').replace(/\s+/g, ' ')

const HIDDEN = new RegExp(`(?![\\n\\t])[${INVISIBLE}]`, 'gu')

/** Replaces what differs from run to run, and shows characters that nobody would see in a review. */
export const toGolden = (text: string): string =>
  text
    .replace(/\/\S*\/quotekeeper-test-\w+/g, 'FOLDER')
    .replace(/evt_[0-9a-f]{32}/g, 'evt_ID')
    .replace(/plan-[0-9a-f]{10}/g, 'plan-ID')
    // Of a workbook, which quotes addresses of this run, and of the award that has it.
    .replace(/[0-9a-f]{64}( +)[0-9a-f]{64}/g, 'SHA-256$1HASH')
    .replace(/(head hash of the decisions: |"head": ")[0-9a-f]{64}/g, '$1HASH')
    .replace(/(127\\*\.0\\*\.0\\*\.1\\*:)\d+/g, '$1PORT')
    .replace(HIDDEN, (character) => `{U+${character.codePointAt(0)?.toString(16).padStart(4, '0')}}`)
