import type { MetricName } from './metrics.js'

/** The metrics whose reasons are given where they are unknown. */
export const METRIC_LABELS: Partial<Record<MetricName, string>> = {
  pricePerTonne: 'Price per tonne',
  vwap: 'Price per tonne from lines',
  volumeDifference: 'Stated volume against lines',
  totalDifference: 'Stated total against lines',
  firstDelivery: 'Delivery dates',
  meanWaitDays: 'Mean wait',
  meanVintageYear: 'Vintages',
  onTimeShare: 'Share due on time',
  prepaidShare: 'Pre-paid share',
  coverage: 'Coverage',
}
