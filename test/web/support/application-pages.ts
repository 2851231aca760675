/** Every page that is not about one RFQ or offer, of the channel `acme/forest`. */
export const APPLICATION_PAGES = [
  '/',
  '/rfqs',
  '/awards',
  '/changes',
  '/listings',
  '/reports',
  '/system',
  '/closings',
] as const
