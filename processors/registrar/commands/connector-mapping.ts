import { type FieldError, fieldError, type FieldErrorCode } from '../../../schema/errors.ts'
import type { ConnectorMachine, ConnectorRecord, MappingRule } from '../../../schema/records/connector.ts'
import { templateName } from '../../../schema/records/connector-machines.ts'
import { parseTopicPattern } from '../../../schema/topic-pattern.ts'

/** Returns the errors of the machines and rules of a connector that its schema does not find. */
export function findMappingErrors(connector: Mapping): readonly FieldError[] {
  return [
    ...connector.machines.flatMap((machine, index) => findMachineErrors(machine, `machines[${index}]`, connector)),
    ...connector.rules.flatMap((rule, index) => findRuleErrors(rule, `rules[${index}]`, connector)),
  ]
}

type Mapping = Pick<ConnectorRecord, 'kind' | 'machines' | 'rules'>

function findMachineErrors(machine: ConnectorMachine, place: string, { kind }: Mapping): readonly FieldError[] {
  const { source, machineId, paths, expand, timeOffsetMs } = machine
  const errors: FieldError[] = []
  if (source === null && kind !== 'http')
    errors.push(problem(`${place}.source`, `is required for the kind ${kind}`, 'Required'))
  if (Object.keys(paths).length > 0 && kind !== 'mtconnect')
    errors.push(problem(`${place}.paths`, 'requires the kind mtconnect'))
  if (expand.length > 0 && kind !== 'mtconnect') errors.push(problem(`${place}.expand`, 'requires the kind mtconnect'))
  if (kind === 'mqtt') return [...errors, ...findTopicErrors(machine, place)]
  if (typeof machineId === 'object' || templateName(machineId) !== undefined)
    errors.push(problem(`${place}.machineId`, `must be the id of a machine for the kind ${kind}`))
  if (kind !== 'http') return errors
  if (source !== null && source.toLowerCase() !== machineId)
    errors.push(problem(`${place}.source`, 'must be omitted or equal machineId for the kind http'))
  if (timeOffsetMs !== 0) errors.push(problem(`${place}.timeOffsetMs`, 'must be 0 for the kind http'))
  return errors
}

/** A table of machines requires one captured level, a template its level. */
function findTopicErrors({ source, machineId }: ConnectorMachine, place: string): readonly FieldError[] {
  if (source === null) return []
  const pattern = parseTopicPattern(source)
  if (pattern === null) return [problem(`${place}.source`, topicForm)]
  const { captures } = pattern
  const template = templateName(machineId)
  if (typeof machineId === 'object' && captures.size !== 1)
    return [problem(`${place}.source`, 'must capture one level')]
  if (template !== undefined && !captures.has(template))
    return [problem(`${place}.source`, `must capture {${template}}`)]
  return []
}

const topicForm = 'must be a topic in which +, {name} and a final # are whole levels, and each name occurs once'

/** Fields of a rule that need the state of the connector, which rules of keys do not have. */
const statefulFields = ['each', 'deadband', 'unavailable'] as const
const pathFields = ['value', 'time', 'nativeCode', 'nativeSeverity', 'qualifier', 'message'] as const

function findRuleErrors(rule: MappingRule, place: string, { kind }: Mapping): readonly FieldError[] {
  const errors: FieldError[] = []
  if (kind === 'http' || kind === 'shdr')
    for (const name of statefulFields)
      if (rule[name] !== undefined) errors.push(problem(`${place}.${name}`, `is not allowed for the kind ${kind}`))
  if (kind === 'mqtt' && parseTopicPattern(rule.from) === null) errors.push(problem(`${place}.from`, topicForm))
  if (kind === 'mqtt' && rule.unavailable !== true)
    for (const name of ['key', 'type'] as const)
      if (rule[name] === undefined)
        errors.push(problem(`${place}.${name}`, 'is required for the kind mqtt', 'Required'))
  if (rule.unavailable === true && rule.each !== undefined)
    errors.push(problem(`${place}.each`, 'is not allowed with unavailable'))
  if (rule.deadband !== undefined && rule.category !== 'SAMPLE')
    errors.push(problem(`${place}.deadband`, 'requires the category SAMPLE'))
  if (rule.each === undefined)
    for (const name of pathFields)
      if (rule[name]?.startsWith('@') === true)
        errors.push(problem(`${place}.${name}`, 'must begin with $ without each'))
  return errors
}

/** Creates the error of a field; its message begins with the field. */
export function problem(field: string, text: string, code: FieldErrorCode = 'InvalidDataItem'): FieldError {
  return fieldError(field, code, `${field} ${text}`)
}
