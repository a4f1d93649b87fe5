import { type Sql, sql } from '../../../clickhouse/sql/sql.ts'

/**
 * Removes the error of adding fractions: rounds to a whole number or to ten digits. So a report has the same digits in
 * any order of addition. NaN stays NaN.
 */
export function rounded(value: number): number {
  const size = Math.abs(value)
  const whole = Math.floor(value + 0.5)
  // Adding 0 makes -0 a 0.
  if (Math.abs(value - whole) <= 1e-9 * Math.max(1, size)) return whole + 0
  return inTenDigits(value, size)
}

function inTenDigits(value: number, size: number): number {
  const decimals = 9 - Math.floor(Math.log10(size))
  const scale = 10 ** Math.abs(decimals)
  return decimals >= 0 ? Math.floor(value * scale + 0.5) / scale : Math.floor(value / scale + 0.5) * scale
}

/** Pure: the same of a Float64 column, which it reads several times. */
export function roundedSql(value: Sql): Sql {
  const whole = sql`floor(${value} + 0.5)`
  const decimals = sql`(9 - floor(log10(abs(${value}))))`
  const scale = sql`exp10(abs(${decimals}))`
  const inTenDigitsSql = sql`if(${decimals} >= 0, floor(${value} * ${scale} + 0.5) / ${scale}, floor(${value} / ${scale} + 0.5) * ${scale})`
  return sql`if(abs(${value} - ${whole}) <= 1e-9 * greatest(1, abs(${value})), ${whole} + 0, ${inTenDigitsSql})`
}
