/** The formats of reports. `csv` contains one table; the others contain the whole report. */
export const REPORT_FORMATS = ['xlsx', 'csv', 'json', 'html'] as const
export type ReportFormat = (typeof REPORT_FORMATS)[number]
