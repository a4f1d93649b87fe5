import { sql, uint32 } from '../../../clickhouse/sql/sql.ts'
import { hourMs } from '../../../shared/time/units.ts'

/** Whether the record of each downtime element of an hour has no further element, here or in the next hour: an array. */
export const isOver = sql`arrayMap((record, next, end) -> record != next AND end < ${uint32(hourMs)},
      downtime_record_start_ms, arrayResize(arrayPopFront(downtime_record_start_ms), length(downtime_record_start_ms)), downtime_end)`
