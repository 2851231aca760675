import type { Theme } from './records.js'

/** A project type: what its projects have in common, and the ranges within which they vary. */
export interface ProjectType {
  themes: readonly Theme[]
  /** The second part of a project name: `<place> <noun>`. */
  nouns: readonly string[]
  activity: string
  mitigation: 'removal' | 'avoidance'
  ecosystem: readonly [type: string, subtype: string] | null
  /** Registries, each with the methodologies it issues under. */
  standards: Partial<Record<Registry, readonly string[]>>
  labels: readonly string[]
  /** Country code and region. */
  places: readonly string[]
  /** Invented. Any resemblance to a real company is coincidental. */
  developers: readonly string[]
  /** Lowest and highest asking price per tonne. */
  price: readonly [number, number]
  /** Lowest and highest number of tonnes CO2e issued per year. */
  yearly: readonly [number, number]
}

export type Registry = keyof typeof registryIds

/** The format of each registry's ids; `#` stands for a digit, the first of which is not 0. */
export const registryIds = {
  Verra: 'VCS####',
  'Gold Standard': 'GS#####',
  'American Carbon Registry': 'ACR###',
  'Climate Action Reserve': 'CAR####',
  'Puro.earth': '######',
  'Plan Vivo': 'PV-201#-0##',
  Isometric: 'ISO-####',
} as const

export const projectTypes: readonly ProjectType[] = [
  {
    themes: ['forest'],
    nouns: ['Forest Conservation', 'REDD+ Project', 'Community Forest Protection'],
    activity: 'Avoided unplanned deforestation',
    mitigation: 'avoidance',
    ecosystem: ['ForestsAndWoodlands', 'TropicalRainforests'],
    standards: { Verra: ['VM0007', 'VM0009', 'VM0015', 'VM0048'] },
    labels: ['CCB Gold', 'CORSIA Phase 1', 'SD VISta'],
    places: ['BR Alto Juruá', 'PE Upper Ucayali', 'CO Chocó Pacífico', 'KH Mondulkiri', 'ID Barito', 'ZM Luangwa'],
    developers: ['Terravena Carbon', 'Rio Claro Florestas', 'Lumen Forest Alliance'],
    price: [6, 17],
    yearly: [60_000, 420_000],
  },
  {
    themes: ['forest', 'removal'],
    nouns: ['Reforestation', 'Native Forest Restoration', 'Afforestation Programme'],
    activity: 'Afforestation, reforestation and revegetation',
    mitigation: 'removal',
    ecosystem: ['ForestsAndWoodlands', 'ReforestedAreas'],
    standards: { Verra: ['VM0047', 'AR-ACM3'], 'Gold Standard': ['AR-AMS7', 'AR-ACM3'] },
    labels: ['CCB', 'ABACUS', 'CCP'],
    places: ['BR Serra do Pardo', 'UG Bugoma', 'GH Ashanti', 'UY Cerro Largo', 'KE Kakamega', 'IN Araku Valley'],
    developers: ['Meridian Restoration Partners', 'Cedar & Vale Reforestation', 'Rio Claro Florestas'],
    price: [24, 52],
    yearly: [15_000, 120_000],
  },
  {
    themes: ['forest'],
    nouns: ['Improved Forest Management', 'Working Forest', 'Forest Carbon Stewardship'],
    activity: 'Improved forest management',
    mitigation: 'removal',
    ecosystem: ['ForestsAndWoodlands', 'TemperateForests'],
    standards: { Verra: ['VM0045', 'VM0010', 'VM0012'], 'American Carbon Registry': ['VM0003'] },
    labels: ['CCP', 'FSC'],
    places: ['US Blue Ridge', 'US Klamath', 'US Ozark', 'CA Great Bear', 'CA Northern Ontario', 'CA Gaspésie'],
    developers: ['Kestrel Forest Capital', 'Taiga Commons'],
    price: [14, 32],
    yearly: [20_000, 180_000],
  },
  {
    themes: ['blue', 'removal'],
    nouns: ['Mangrove Restoration', 'Blue Carbon Project', 'Mangrove Carbon'],
    activity: 'Coastal wetland restoration',
    mitigation: 'removal',
    ecosystem: ['OceansAndCoastalAreas', 'Mangroves'],
    standards: { Verra: ['VM0033', 'AR-AM14'], 'Plan Vivo': ['AR-AM14'] },
    labels: ['CCB Gold', 'CCP', 'SD VISta'],
    places: ['ID Mahakam Delta', 'PK Indus Delta', 'SN Casamance', 'MX Laguna de Términos', 'KE Gazi Bay', 'VN Cà Mau'],
    developers: ['Nusantara Blue', 'Indus Coast Trust', 'Verdemar Ecosistemas'],
    price: [26, 46],
    yearly: [8_000, 140_000],
  },
  {
    themes: ['blue'],
    nouns: ['Seagrass Meadow Restoration', 'Tidal Wetland Restoration'],
    activity: 'Tidal wetland and seagrass restoration',
    mitigation: 'removal',
    ecosystem: ['OceansAndCoastalAreas', 'SeagrassMeadows'],
    standards: { Verra: ['VM0033', 'VM0024'] },
    labels: ['CCB'],
    places: ['US Chesapeake Bay', 'US Puget Sound', 'ES Ebro Delta', 'AU Spencer Gulf'],
    developers: ['Saltmarsh & Tide', 'Verdemar Ecosistemas'],
    price: [30, 58],
    yearly: [1_500, 18_000],
  },
  {
    themes: ['blue', 'forest'],
    nouns: ['Peatland Restoration', 'Peat Forest Rewetting'],
    activity: 'Rewetting of drained peatland',
    mitigation: 'avoidance',
    ecosystem: ['Wetlands', 'Peatlands'],
    standards: { Verra: ['VM0027', 'VM0007'] },
    labels: ['CCB Gold', 'SD VISta'],
    places: ['ID Sebangau', 'ID Kampar', 'ID Riau Peninsula', 'GB Flow Country', 'DE Diepholz'],
    developers: ['Katari Peat Partners', 'Moorland Futures'],
    price: [11, 24],
    yearly: [40_000, 260_000],
  },
  {
    themes: ['removal'],
    nouns: ['Biochar', 'Biochar Hub', 'Smallholder Biochar'],
    activity: 'Biochar in agricultural soils and construction materials',
    mitigation: 'removal',
    ecosystem: ['AgriculturalLands', 'Croplands'],
    standards: { 'Puro.earth': ['Methodology for Biochar Utilization in Soil'], Verra: ['VM0044'] },
    labels: ['CCP', 'ICROA endorsed'],
    places: ['BO Chiquitania', 'IN Vidarbha', 'DE Lusatia', 'US Iowa Prairie', 'KE Kitui', 'FI Kainuu'],
    developers: ['Ostrava Pyrolysis', 'Altiplano Carbono', 'Baobab Climate Works'],
    price: [118, 215],
    yearly: [1_200, 28_000],
  },
  {
    themes: ['removal'],
    nouns: ['Enhanced Rock Weathering'],
    activity: 'Enhanced weathering on cropland',
    mitigation: 'removal',
    ecosystem: ['AgriculturalLands', 'Croplands'],
    standards: { Isometric: ['service.enhanced-weathering'], 'Puro.earth': ['service.enhanced-weathering'] },
    labels: ['ICROA endorsed'],
    places: ['BR Cerrado Norte', 'US Iowa Prairie', 'IN Punjab Plains', 'GB Scottish Borders'],
    developers: ['Halden Stone', 'Prairie & Sons Soil Company'],
    price: [240, 380],
    yearly: [800, 12_000],
  },
  {
    themes: ['removal'],
    nouns: ['Direct Air Capture', 'Air Capture and Mineralisation'],
    activity: 'Direct air capture with geological storage',
    mitigation: 'removal',
    ecosystem: null,
    standards: { 'Puro.earth': ['service.direct-air-capture'], Isometric: ['service.direct-air-capture'] },
    labels: ['ICROA endorsed'],
    places: ['IS Hellisheiði', 'IS Reykjanes', 'US Texas Gulf', 'CA Northern Ontario'],
    developers: ['Northlight Air Capture', 'Halden Stone'],
    price: [520, 890],
    yearly: [500, 9_000],
  },
  {
    themes: ['removal'],
    nouns: ['Soil Carbon', 'Regenerative Farming Programme', 'Healthy Soils'],
    activity: 'Improved agricultural land management',
    mitigation: 'removal',
    ecosystem: ['AgriculturalLands', 'Croplands'],
    standards: { Verra: ['VM0042'], 'Climate Action Reserve': ['Soil Enrichment Protocol'] },
    labels: ['CCP'],
    places: ['US Iowa Prairie', 'US Blue Ridge', 'US Ozark', 'US Upper Peninsula'],
    developers: ['Prairie & Sons Soil Company', 'Meridian Restoration Partners'],
    price: [22, 44],
    yearly: [10_000, 95_000],
  },
  {
    themes: ['forest', 'removal'],
    nouns: ['Smallholder Agroforestry', 'Shade Coffee Agroforestry'],
    activity: 'Agroforestry',
    mitigation: 'removal',
    ecosystem: ['AgriculturalLands', 'AgroforestrySystems'],
    standards: { 'Plan Vivo': ['AR-AMS3', 'AR-AMS7'], Verra: ['VM0047'], 'Gold Standard': ['AR-AMS7'] },
    labels: ['CCB', 'Fairtrade'],
    places: ['PE San Martín', 'UG Mount Elgon', 'RW Lake Kivu', 'MX Chiapas Highlands', 'IN Araku Valley'],
    developers: ['Baobab Climate Works', 'Altiplano Carbono', 'Terravena Carbon'],
    price: [20, 38],
    yearly: [5_000, 60_000],
  },
]

/** Buyer descriptions for RFQs. */
export const buyers = [
  'European logistics group offsetting residual scope 1 emissions of its truck fleet',
  'Listed software company building a removals portfolio towards 2030',
  'Airline preparing for CORSIA first-phase compliance',
  'Food producer with a beyond-value-chain mitigation budget',
  'Trading desk assembling an inventory of high-integrity credits',
  'Consumer brand looking for a flagship project with strong co-benefits',
] as const

export const requirements = [
  'Third-party rating of BBB or better preferred.',
  'Evidence of free, prior and informed consent required.',
  'Please state buffer contributions and reversal insurance.',
  'Monitoring reports of the last two periods to be attached.',
  'Only one registry transfer; retirement on behalf of the buyer.',
  'No credits from periods before the latest baseline renewal.',
] as const

export const offerNotes = [
  'Price holds for the whole volume; partial awards on request.',
  'Volumes subject to verification; any shortfall replaced like for like.',
  'Includes retirement certificate and project photographs.',
  'Discount of 2 % for payment within ten days.',
  'Delivery within ten business days of payment.',
  'Co-benefits report (biodiversity, water) included at no cost.',
] as const

export const reviewComments = {
  pending: 'Documents received, under review.',
  accepted: 'Terms complete; documents match the registry.',
  rejected: 'Monitoring report of the offered period is missing.',
} as const

/** Names of invented people and companies. */
export const givenNames = ['Amara', 'Beatriz', 'Chidi', 'Dewi', 'Elena', 'Farid', 'Greta', 'Hiroshi', 'Ines'] as const
export const surnames = ['Abara', 'Becker', 'Castro', 'Dlamini', 'Eriksen', 'Fontaine', 'Gupta', 'Ito'] as const
export const legalForms = ['Group', 'Inc', 'LLC', 'and Sons'] as const
