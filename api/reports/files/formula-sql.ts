import { float64, join, type Sql, sql } from '../../../clickhouse/sql/sql.ts'
import type { Formula } from '../../../schema/formula.ts'
import type { SumName } from '../../../schema/sums.ts'

/** Pure: a formula as SQL over columns of sums, Float64, with nan where there is no such number: the same as `computation` gives. */
export function formulaSql(formula: Formula, column: (name: SumName) => Sql): Sql {
  const of = (part: Formula) => formulaSql(part, column)
  switch (formula.op) {
    case 'sum':
      return column(formula.name)
    case 'number':
      return sql`toFloat64(${float64(formula.value)})`
    case 'plus':
      return sql`(${of(formula.left)} + ${of(formula.right)})`
    case 'minus':
      return sql`(${of(formula.left)} - ${of(formula.right)})`
    case 'over':
      return sql`if(${of(formula.right)} = 0, nan, ${of(formula.left)} / ${of(formula.right)})`
    case 'clamp':
      return clamped(of(formula.of), formula.low, formula.high)
    case 'aboveZero':
      return sql`if(${of(formula.of)} > 0, ${of(formula.of)}, nan)`
    case 'finite':
      return sql`if(isFinite(${of(formula.of)}), ${of(formula.of)}, nan)`
    case 'product':
      return product(formula.factors.map(of))
    case 'where':
      return sql`if(isNaN(${of(formula.condition)}), nan, ${of(formula.value)})`
  }
}

/** Comparisons with nan are false. */
function clamped(value: Sql, low: number, high: number): Sql {
  const atLeast = sql`if(${value} < ${float64(low)}, ${float64(low)}, ${value})`
  return Number.isFinite(high) ? sql`if(${value} > ${float64(high)}, ${float64(high)}, ${atLeast})` : atLeast
}

function product(factors: readonly Sql[]): Sql {
  const isZero = join(
    factors.map(factor => sql`${factor} = 0`),
    sql` OR `,
  )
  return sql`if(${isZero}, 0, ${join(factors, sql` * `)})`
}
