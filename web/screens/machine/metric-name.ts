import type { MetricValues } from '../../../schema/requests/machine-timeline.ts'

/** Units of numeric types that MTConnect defines, part 2 "Devices Information Model". */
const units = new Map(
  Object.entries({
    ACCELERATION: 'mm/s²',
    AMPERAGE: 'A',
    ANGLE: '°',
    ANGULAR_VELOCITY: '°/s',
    AXIS_FEEDRATE: 'mm/s',
    CONCENTRATION: '%',
    DISPLACEMENT: 'mm',
    ELECTRICAL_ENERGY: 'W·s',
    FLOW: 'l/s',
    FREQUENCY: 'Hz',
    HUMIDITY_RELATIVE: '%',
    LENGTH: 'mm',
    LINEAR_FORCE: 'N',
    LOAD: '%',
    MASS: 'kg',
    PATH_FEEDRATE: 'mm/s',
    POSITION: 'mm',
    PRESSURE: 'Pa',
    ROTARY_VELOCITY: 'rev/min',
    SPINDLE_SPEED: 'rev/min',
    TEMPERATURE: '°C',
    TORQUE: 'N·m',
    VELOCITY: 'mm/s',
    VOLTAGE: 'V',
    WATTAGE: 'W',
  }),
)

/** Name of a metric in words, from its type and subtype: `Rotary velocity, actual`. */
export function metricName({ type, subtype }: Pick<MetricValues, 'type' | 'subtype'>): string {
  const [first = '', ...rest] = [type, subtype].filter(text => text !== '').map(inWords)
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(', ')
}

/** Unit of a metric as MTConnect defines it; '' for other types. */
export function metricUnit({ type, subtype }: Pick<MetricValues, 'type' | 'subtype'>): string {
  const unit = units.get(type) ?? ''
  // An override of a speed is a share of the programmed one.
  return unit !== '' && subtype === 'OVERRIDE' ? '%' : unit
}

function inWords(name: string): string {
  // Types that MTConnect does not define have a prefix.
  return name
    .replace(/^[a-z]+:/i, '')
    .toLowerCase()
    .replaceAll('_', ' ')
}
