import * as fc from 'fast-check'
import { hour } from './plant.ts'

const names = ['a', 'b', 'c']
const name = fc.constantFrom(...names)
const at = fc.integer({ min: 0, max: 12 }).map(hour)
/**
 * Random commands on few records of many kinds, which often concern the same record or are rejected. The plant has a
 * machine with the ERP id M1.
 */
export const randomCommand = fc.oneof(
  fc.record({ name: fc.constant('operator.put'), payload: fc.record({ id: name, name }) }),
  fc.record({ name: fc.constant('operator.delete'), payload: fc.record({ id: name }) }),
  fc.record({ name: fc.constant('downtimeReason.put'), payload: fc.record({ name }) }),
  fc.record({
    name: fc.constant('downtimeReason.delete'),
    payload: fc.record({ id: fc.integer({ min: 1, max: 4 }) }),
  }),
  fc.record({ name: fc.constant('machineGroup.put'), payload: fc.record({ id: name, name }) }),
  fc.record({ name: fc.constant('machineGroup.delete'), payload: fc.record({ id: name }) }),
  fc.record({
    name: fc.constant('jobRun.start'),
    payload: fc.record({ erpJobOperationRunId: name, erpMachineId: fc.constant('M1'), jobName: name, startAt: at }),
  }),
  fc.record({ name: fc.constant('jobRun.end'), payload: fc.record({ erpJobOperationRunId: name, endAt: at }) }),
  fc.record({ name: fc.constant('jobOperation.put'), payload: fc.record({ id: name, jobName: name }) }),
  fc.record({ name: fc.constant('jobOperation.delete'), payload: fc.record({ id: name }) }),
  fc.record({
    name: fc.constant('schedule.put'),
    payload: fc.record({
      id: name,
      name,
      versions: fc.constantFrom([], [{ shifts: [{ name: 'S', days: [1], start: '06:00', end: '14:00' }] }]),
    }),
  }),
  fc.record({ name: fc.constant('schedule.delete'), payload: fc.record({ id: name }) }),
)
