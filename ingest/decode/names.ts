import { canonicalName, type Category } from '../../schema/sample.ts'
import { cacheByName } from '../../schema/canonical-name.ts'

/** Senders repeat a few hundred names; new names without end must not fill the memory. */
const maxCachedNames = 10_000

/** Types that are conditions unless the sender states another category. */
const conditionTypes = `
  ACTUATOR COMMUNICATIONS DATA_RANGE HARDWARE LOGIC_PROGRAM MOTION_PROGRAM SYSTEM`

/** Common MTConnect types whose values are measured numbers: https://www.mtconnect.org/documents (part 2). */
const sampleTypes = `
  ACCELERATION ACCUMULATED_TIME AMPERAGE ANGLE ANGULAR_ACCELERATION ANGULAR_VELOCITY AXIS_FEEDRATE CONCENTRATION CONDUCTIVITY
  CUTTING_SPEED DENSITY DISPLACEMENT ELECTRICAL_ENERGY EQUIPMENT_TIMER FILL_LEVEL FLOW FREQUENCY GLOBAL_POSITION HUMIDITY_RELATIVE
  LENGTH LINEAR_FORCE LOAD MASS PATH_FEEDRATE PATH_FEEDRATE_PER_REVOLUTION PATH_POSITION PH POSITION POWER_FACTOR PRESSURE
  PROCESS_TIMER RESISTANCE ROTARY_VELOCITY SOUND_LEVEL SPINDLE_SPEED STRAIN TEMPERATURE TENSION TILT TORQUE VELOCITY VIBRATION
  VISCOSITY VOLTAGE VOLT_AMPERE WATTAGE`

/** Common types whose values are states, counts and strings. */
const eventTypes = `
  ACTIVE_AXES ALARM ASSET_CHANGED ASSET_REMOVED AVAILABILITY AXIS_STATE BLOCK BLOCK_COUNT CHUCK_STATE CONTROLLER_MODE
  CONTROLLER_MODE_OVERRIDE CUTTING CYCLE_COUNT DIRECTION DOOR_STATE EMERGENCY_STOP EXECUTION FUNCTIONAL_MODE INTERFACE_STATE LINE
  LINE_LABEL LINE_NUMBER MESSAGE OPERATOR_ID PALLET_ID PART_COUNT PART_ID PART_NUMBER PATH_FEEDRATE_OVERRIDE PATH_MODE POWER_STATE
  PROGRAM PROGRAM_COMMENT PROGRAM_EDIT PROGRAM_EDIT_NAME PROGRAM_HEADER ROTARY_MODE ROTARY_VELOCITY_OVERRIDE SERIAL_NUMBER
  SPINDLE_INTERLOCK SPINDLE_ROTATING TOOL_ID TOOL_ASSET_ID TOOL_NUMBER TOOL_OFFSET WORKHOLDING_ID`

/** Category of every type of the vocabulary. */
const categoryByType: ReadonlyMap<string, Category> = new Map<string, Category>([
  ...wordsOf(eventTypes).map(type => [type, 'EVENT'] as const),
  ...wordsOf(sampleTypes).map(type => [type, 'SAMPLE'] as const),
  ...wordsOf(conditionTypes).map(type => [type, 'CONDITION'] as const),
])

function wordsOf(list: string): readonly string[] {
  return list.trim().split(/\s+/)
}

/**
 * Returns the canonical spelling of a type: `PartCount`, `part count` and `partcount` become `PART_COUNT`. A type outside the vocabulary is
 * written in upper case, with `_` between its words.
 */
export const canonicalType = cacheByName(type => spellings.get(canonicalName(type)) ?? joinWords(type), maxCachedNames)

const spellings = new Map([...categoryByType.keys()].map(type => [canonicalName(type), type]))

/** Returns a subtype in upper case, with `_` between its words. */
export const canonicalSubtype = cacheByName(joinWords, maxCachedNames)

/** Whether `canonicalType` may have returned this type. */
export function isCanonicalType(type: string): boolean {
  return (spellings.get(canonicalName(type)) ?? joined(type)) === type
}

/** Whether `canonicalSubtype` may have returned this subtype; '' means none. */
export function isCanonicalSubtype(subtype: string): boolean {
  return joined(subtype) === subtype
}

/** Returns the category of a sample that states none, by its canonical type. */
export function defaultCategory(type: string): Category {
  return categoryByType.get(type) ?? 'EVENT'
}

function joinWords(text: string): string {
  return joined(text.replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1_$2'))
}

function joined(text: string): string {
  return text
    .trim()
    .replace(/[\s_]+/g, '_')
    .toUpperCase()
}
