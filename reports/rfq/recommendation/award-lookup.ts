import { reachedFrom } from '../../../src/domain/comparison/awards/cheapest-combination.js'
import { upTo } from '../../../src/domain/comparison/decision/award-requirements.js'
import * as style from '../../xlsx/cell-styles.js'
import { stringLiteral } from '../../xlsx/cells.js'
import { byWantedBasis, REACHED_VOLUME } from '../award-sets.js'
import { requirementCell } from '../inputs.js'
import type { RfqLayout } from '../layout.js'
import { type Facts, factCell, figure, isRule, literal, REGARDLESS } from './recommendation-facts.js'
import type { EntryKey, FactKey } from './recommendation-grids.js'
import { alternativesText, currentEntry, membersText, NO_AWARD } from './solved-awards.js'

const NOT_SOLVED = 'not solved'
const OUTDATED = 'outdated'

/** Larger than every volume and price. */
const UNLIMITED = '1E+300'

/** Figures that look up the solved award, and say whether it can be used. */
export function lookUpFacts(layout: RfqLayout) {
  const { report, recommendation: grids, numbers } = layout
  const { switches, rule } = report.decision
  const { settings, rfq } = report
  const at = (key: FactKey) => factCell(layout, key)
  const entry = currentEntry(layout)
  const index = switches.entries.findIndex(({ key }) => key === entry?.key)
  const zeros = '0'.repeat(switches.names.length)
  const digits = switches.names.map((name) => `IF(${requirementCell(name)}="hard",1,0)`).join('&')
  const regardless = byWantedBasis((basis) =>
    literal(switches.regardless.find((one) => one.basis === basis)?.award ?? NO_AWARD),
  )
  const unsolved = `IF(AND(ISNUMBER(WantedVolume),${at('entry')}=0,${isRule('cheapest-compliant')}),"${NOT_SOLVED}","")`
  const ifSolved = (expression: string, otherwise: string) => (switches.entries.length === 0 ? otherwise : expression)
  const inEntry = (key: EntryKey) => `INDEX(${grids.entries.range(key)},MAX(1,${at('entry')}))`
  const isLimited = settings.requirements.volumeMax === 'hard' && (rfq.maxVolume ?? 0) > 0
  return {
    rule: figure('Award rule', 'AwardRule&""', rule),
    key: figure(
      'Key of the solved award',
      `IF(${REGARDLESS},"${zeros}",${digits === '' ? '""' : digits})&"|"&WantedBasis`,
      rule === 'cheapest-regardless' ? `${zeros}|${settings.wantedVolume}` : switches.currentKey,
    ),
    entry: figure(
      'Row of the solved award',
      ifSolved(`IFERROR(MATCH(${at('key')},${grids.entries.range('key')},0),0)`, '0+0'),
      index + 1,
      style.integer,
    ),
    outdated: figure('Changes that solved awards do not follow', outdatedExpression(layout), 0, style.integer),
    problem: figure('Problem', `IF(${at('outdated')}>0,"${OUTDATED}",${ifSolved(unsolved, '""')})`, ''),
    message: figure(
      'What to do',
      `IF(${at('problem')}="${OUTDATED}",${stringLiteral(OUTDATED_TEXT)}&ReportCommand,IF(${at('problem')}="${NOT_SOLVED}",${stringLiteral(NOT_SOLVED_TEXT)}&ReportCommand,""))`,
      '',
    ),
    awardNo: figure(
      'Number of the solved award',
      ifSolved(
        `IF(${at('entry')}>0,${inEntry('award')},IF(${REGARDLESS},${regardless},"${NO_AWARD}"))`,
        `IF(TRUE,"${NO_AWARD}")`,
      ),
      entry?.award ?? NO_AWARD,
      style.plainNumber,
    ),
    members: figure(
      'Its offers',
      switches.awards.length === 0
        ? 'IF(TRUE,",")'
        : `IF(ISNUMBER(${at('awardNo')}),INDEX(${grids.solved.range('members')},N(${at('awardNo')})+1),",")`,
      membersOf(layout, entry?.award ?? null),
    ),
    alternatives: figure(
      'Awards without each of its offers',
      ifSolved(`IF(${at('entry')}>0,${inEntry('alternatives')}&"","")`, 'IF(TRUE,"")'),
      entry === null ? '' : alternativesText(entry),
    ),
    least: figure(
      'Fewest tonnes that reach the wanted volume',
      `IF(ISNUMBER(WantedVolume),${REACHED_VOLUME},"")`,
      rfq.wanted.volume === null ? '' : reachedFrom(rfq.wanted.volume),
      numbers.volume,
    ),
    most: figure(
      'Most tonnes allowed',
      `IF(AND(${requirementCell('volumeMax')}="hard",N(MaxVolume)>0),MaxVolume*(1+1E-9),${UNLIMITED})`,
      isLimited ? upTo(rfq.maxVolume ?? 0) : 1e300,
      numbers.volume,
    ),
  } satisfies Partial<Facts>
}

const OUTDATED_TEXT =
  'Outdated: exchange rates or comparable prices changed, and awards are solved only for the original ones. Run: '

const NOT_SOLVED_TEXT = 'This combination of requirements and wanted volume is not solved ahead. Run: '

/** Awards are solved for the original exchange rates and the offers that can be compared with them. */
function outdatedExpression({ offers, failures }: RfqLayout): string {
  const comparable = `COUNTIFS(${offers.range('comparedPrice')},">0",${offers.range('comparedTotal')},">0")`
  return `AwardRatesChanged+IF(${comparable}=${failures.candidates.length},0,1)`
}

function membersOf({ report }: RfqLayout, award: number | null): string {
  const solved = award === null ? undefined : report.decision.switches.awards[award]
  return solved === undefined ? ',' : membersText(solved)
}
