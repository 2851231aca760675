import { stripVTControlCharacters } from 'node:util'
import { withoutNoise } from '../../src/core/text/number-format.js'
import type { RfqFigures } from '../../src/recommendations/rfq-figures.js'
import type { OfferView } from '../../src/views/offer/offer-view.js'
import type { RfqView } from '../../src/views/rfq/rfq-view.js'

/** A number as a person reads it: `1,234.5`, `97.6 %`, `12.30 USD`; `–` or nothing is an unknown one. */
export class Rounded {
  constructor(readonly text: string) {}
}

export const rounded = (text = ''): Rounded => new Rounded(text)

export type Shown = number | string | boolean | null | readonly string[] | Rounded

/** Figures and sentences by name. */
export type Figures = Record<string, Shown>

/** What every surface must show of an offer. */
export function offerFigures({ own, compared, ...offer }: OfferView) {
  const { number, rank, standing, why, tonnes, coverage, awardedTonnes, notMet } = offer
  return {
    ...{ number, rank, standing, why, tonnes, coverage, awardedTonnes },
    notMet: notMet.map(({ message }) => message),
    ownTotal: own.total,
    ownPricePerTonne: own.pricePerTonne,
    ownCurrency: own.currency,
    comparedTotal: compared.total,
    comparedPricePerTonne: compared.pricePerTonne,
    comparedCurrency: compared.currency,
    costPerTonne: compared.costPerTonne,
  } satisfies Figures
}

/** What every surface must show of an RFQ. */
export function rfqFigures({ rfq, summary, currency, offers, decision: { recommendation } }: RfqView) {
  const { award, accepted } = recommendation
  const labels = new Map(offers.map(({ id, label }) => [id, label]))
  const labelsOf = (of: readonly { id: string }[]) => of.map(({ id }) => labels.get(id) ?? id)
  const isUnread = rfq.unreadOffers > 0
  return {
    number: rfq.number,
    offers: summary.offers,
    ranked: summary.ranked,
    wanted: rfq.window.lower,
    volume: summary.volume,
    coverage: summary.coverage,
    currency: currency.comparison,
    bestPricePerTonne: summary.price.lowest,
    status: isUnread ? null : recommendation.status,
    awardOffers: isUnread ? null : labelsOf(award?.offers ?? []),
    awardTonnes: isUnread ? null : (award?.tonnes ?? 0),
    awardPricePerTonne: isUnread ? null : (award?.pricePerTonne ?? null),
    awardCoverage: isUnread ? null : (award?.coverage ?? null),
    acceptedOffers: accepted === null ? null : labelsOf(accepted.offers),
    acceptedTonnes: accepted?.tonnes ?? null,
    acceptedPricePerTonne: accepted?.award?.pricePerTonne ?? null,
  } satisfies Figures
}

/** The same of the figures that lists have. */
export const listFigures = (figures: RfqFigures) => ({
  ranked: figures.ranked,
  wanted: figures.wanted,
  volume: figures.volume,
  coverage: figures.coverage,
  currency: figures.currency,
  bestPricePerTonne: figures.bestPricePerTonne,
  status: figures.award?.status ?? null,
  awardOffers: figures.award?.offers ?? null,
  awardTonnes: figures.award?.tonnes ?? null,
  awardPricePerTonne: figures.award?.pricePerTonne ?? null,
  awardCoverage: figures.award?.coverage ?? null,
  acceptedOffers: figures.accepted?.offers ?? null,
  acceptedTonnes: figures.accepted?.tonnes ?? null,
  acceptedPricePerTonne: figures.accepted?.pricePerTonne ?? null,
})

/** Text without what terminals, pages and assistants remove or replace in it. */
export const plainText = (text: string): string =>
  stripVTControlCharacters(text)
    .normalize('NFC')
    // Programs other than terminals show what follows the escape character.
    .replace(/[\p{C}\ufffd]|\[2J/gu, '')
    .replace(/\s+/g, ' ')
    .trim()

/**
 * How what a surface shows differs from the exact figures, or from their correct rounding: a line for each.
 * @param shown members that the surface does not have are absent
 */
export const differencesOf = (surface: string, shown: Figures, exact: Figures): string[] =>
  Object.entries(shown).flatMap(([name, value]) => {
    const wanted = exact[name] ?? null
    return isSame(value, wanted) ? [] : [`${surface}: ${name} is ${text(value)}, not ${text(wanted)}`]
  })

const text = (value: Shown): string => JSON.stringify(value instanceof Rounded ? value.text : value)

function isSame(shown: Shown, exact: Shown): boolean {
  if (shown instanceof Rounded) return isRounded(plainText(shown.text), exact)
  const [a, b] = [shown, exact].map((value) => plain(value, Array.isArray(shown)))
  // A cell that has no room for everything says where the rest is.
  const [beginning, isCut] = typeof a === 'string' ? a.split('… [Offers]') : []
  return isCut === undefined ? JSON.stringify(a) === JSON.stringify(b) : String(b).startsWith(String(beginning))
}

/** Sentences that one surface lists are one text on another. */
function plain(value: Shown | undefined, asList: boolean): unknown {
  if (Array.isArray(value)) return asList ? value.map(plainText) : plainText(value.join(' ')) || null
  return typeof value === 'string' ? plainText(value) || null : value
}

function isRounded(shown: string, exact: Shown): boolean {
  if (shown === '' || shown === '–' || shown === '#N/A') return exact === null
  const [, sign = '', digits = '', , unit = ''] = /^(?:[A-Z]{3} )?([−-]?)([\d,]+(\.\d+)?)(.*)$/.exec(shown) ?? []
  const share = unit.trim() === '%' ? 100 : 1
  const number = Number(digits.replaceAll(',', '')) * (sign === '' ? 1 : -1)
  const decimals = digits.split('.')[1]?.length ?? 0
  return typeof exact === 'number' && digits !== '' && round(exact * share, decimals) === number
}

/** Half-way figures away from zero, as spreadsheets do. */
const round = (value: number, decimals: number): number => {
  const scaled = withoutNoise(Math.abs(value) * 10 ** decimals)
  return (Math.sign(value) * Math.round(scaled)) / 10 ** decimals || 0
}
