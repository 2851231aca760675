import { darkPalette, palette } from './palette.js'

/**
 * The colours of pages, HTML reports and e-mails, ARGB. Text has three tones: `ink`, `muted` and `faint`. `good`, `warn` and `bad` are
 * backgrounds for a state, with text in `goodink` and so on. Each pair of text and background has a contrast of at least 4.5 : 1.
 */
const LIGHT = {
  ink: palette.ink,
  muted: 'FF52606B',
  faint: 'FF66717B',
  paper: palette.paper,
  page: palette.paper,
  band: 'FFF5F7F8',
  line: 'FFE3E8EC',
  edge: 'FF75828E',
  brand: palette.head,
  brandink: palette.paper,
  section: palette.section,
  sectionink: palette.head,
  link: palette.link,
  good: palette.good,
  goodink: palette.goodInk,
  warn: palette.warn,
  warnink: palette.warnInk,
  bad: palette.bad,
  badink: palette.badInk,
  past: palette.input,
  pastink: 'FF5C4A00',
  'bar-fill': palette.bar,
}
const DARK: Record<keyof typeof LIGHT, string> = {
  ink: darkPalette.ink,
  muted: darkPalette.muted,
  faint: 'FF8F9BA6',
  paper: 'FF161C20',
  page: 'FF12171B',
  band: 'FF1A2126',
  line: 'FF2A343B',
  edge: 'FF7C8994',
  brand: darkPalette.head,
  brandink: darkPalette.headInk,
  section: darkPalette.section,
  sectionink: darkPalette.sectionInk,
  link: 'FF8AC2F5',
  good: darkPalette.good,
  goodink: darkPalette.goodInk,
  warn: darkPalette.warn,
  warnink: darkPalette.warnInk,
  bad: darkPalette.bad,
  badink: darkPalette.badInk,
  past: darkPalette.input,
  pastink: 'FFF0DF9A',
  'bar-fill': darkPalette.bar,
}

/** Page title, section heading, text, small text; the spacing scale. There are no other sizes. */
export const SIZES = {
  ...{ t1: '1.25rem', t2: '0.9375rem', t3: '0.875rem', t4: '0.78125rem' },
  ...{ s1: '4px', s2: '8px', s3: '12px', s4: '16px', s5: '24px', s6: '32px' },
}

/** The fonts that systems have. */
export const FONTS = 'system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Liberation Sans",sans-serif'

const hex = (argb: string) => `#${argb.slice(2)}`
const variables = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';')
const colours = (all: Record<string, string>) =>
  variables(Object.fromEntries(Object.entries(all).map(([name, argb]) => [name, hex(argb)])))

/** A colour of the light theme, such as `#1F2933`, for e-mails, which know no variables. */
export const lightColour = (name: keyof typeof LIGHT): string => hex(LIGHT[name])

/** The variables of a style sheet, such as `var(--ink)`, `var(--t3)` and `var(--s2)`: light on paper, dark if the reader prefers. */
export const THEME_STYLE = `:root{color-scheme:light;${colours(LIGHT)};${variables(SIZES)}}
@media screen and (prefers-color-scheme:dark){:root{color-scheme:dark;${colours(DARK)}}}`
