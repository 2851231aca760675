import type { Choice } from '../../compare/decision/decision-model.js'
import { type Column, column, money } from '../column.js'

/** The table of the awards to choose from. */
export const CHOICE_COLUMNS: readonly Column<Choice>[] = [
  column('offers', 'Offers', 'id', 8, ({ award }) => award.offers.map(({ number }) => number).join(', ')),
  column('award', 'Award', 'text', 9, ({ title }) => title),
  column('state', 'State', 'state', 9, ({ isRecommended, kind }) =>
    isRecommended ? 'recommended' : kind === 'waived' ? 'waived requirement' : null,
  ),
  column('tonnes', 'Tonnes', 'tonnes', 9, ({ award }) => award.tonnes),
  column('price', 'Price', 'price', 9, ({ award }) => money(award.pricePerTonne, award.currency)),
  column('total', 'Total', 'money', 7, ({ award }) => money(award.total, award.currency)),
  column('extraTonnes', 'Extra', 'tonnes', 6, ({ extra }) => extra?.tonnes ?? null),
  column('extraPrice', 'Extra at', 'price', 6, ({ extra, award }) => money(extra?.pricePerTonne, award.currency)),
  column('notes', 'Notes', 'text', 5, ({ notes }) => notes.join('; ') || null),
  column('cost', 'Present value', 'price', 5, ({ award: { costPerTonne, pricePerTonne, currency } }) =>
    Math.abs(costPerTonne - pricePerTonne) < 1e-6 ? null : money(costPerTonne, currency),
  ),
  column('difference', 'Difference', 'price', 0, ({ perTonneDifference, award }) =>
    money(perTonneDifference, award.currency),
  ),
]
