import type { Unit } from '../../schema/metrics.ts'
import type { Locale } from '../texts/locale.ts'

/** Unit of a value that a report shows. */
export type AmountUnit = Unit | 'records' | 'machines'

type Value = number | null | undefined

/** A value with its unit; a dash for null. */
export function amount(value: Value, unit: AmountUnit, { format, t }: Locale): string {
  if (typeof value !== 'number' || !Number.isFinite(value)) return t.none
  const { units } = t.reports
  switch (unit) {
    case 'ratio':
      return format.percent(value)
    case 'ms':
      return `${value < 0 ? '−' : ''}${format.duration(Math.abs(value))}`
    case 'ms/part':
      return `${format.number(value / 1000, 1)} ${units['ms/part']}`
    case 'parts/h':
      return `${format.number(value, 1)} ${units['parts/h']}`
    case 'instant':
      return format.dateTime(value)
    case 'parts':
    case 'records':
    case 'machines':
      return `${format.number(value, Number.isInteger(value) ? 0 : 1)} ${(Math.abs(value) === 1 ? t.reports.one : units)[unit]}`
  }
}

/** A value under a title that names parts. */
export function titledAmount(value: Value, unit: AmountUnit, locale: Locale): string {
  return unit === 'parts' ? locale.format.count(value) : amount(value, unit, locale)
}

/** A difference of two values, with its sign, `±` if it is displayed as 0; of ratios in points. */
export function difference(value: Value, before: Value, unit: AmountUnit, locale: Locale): string | null {
  if (typeof value !== 'number' || typeof before !== 'number' || unit === 'instant') return null
  const by = value - before
  const size = Math.abs(by)
  const text =
    unit === 'ratio' ? `${locale.format.number(size * 100, 1)} ${locale.t.reports.points}` : amount(size, unit, locale)
  return `${!/[1-9]/.test(text) ? '±' : by < 0 ? '−' : '+'}${text}`
}
