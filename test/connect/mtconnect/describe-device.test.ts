import { assert } from 'chai'
import { describeDevice } from '../../../connect/mtconnect/describe-device.ts'
import { devicesWith } from './documents.ts'

const item = (id: string, category: string, type: string, rest = '') =>
  `<DataItem id="${id}" name="${id}" category="${category}" type="${type}" ${rest}/>`
const descriptionOf = (content: string) => devicesWith(content).map(describeDevice)[0]

describe('description of an MTConnect device', () => {
  it('The keys that determine state, spindle, parts and alarms are listed', () => {
    const items = [
      item('avail', 'EVENT', 'AVAILABILITY'),
      item('estop', 'EVENT', 'EMERGENCY_STOP'),
      item('good', 'EVENT', 'PART_COUNT', 'subType="GOOD"'),
      item('all', 'EVENT', 'PART_COUNT', 'subType="ALL"'),
      item('speed', 'SAMPLE', 'ROTARY_VELOCITY', 'subType="ACTUAL"'),
      item('programmed', 'SAMPLE', 'ROTARY_VELOCITY', 'subType="PROGRAMMED"'),
      item('system', 'CONDITION', 'SYSTEM'),
    ]
    const path = `<Components><Path id="p" name="path1"><DataItems>${item('exec', 'EVENT', 'EXECUTION')}</DataItems></Path></Components>`
    assert.deepEqual(descriptionOf(`<DataItems>${items.join('')}</DataItems>${path}`), {
      name: 'Mill',
      uuid: 'uuid-Mill',
      make: null,
      model: null,
      paths: ['path1'],
      state: ['estop', 'exec'],
      spindle: ['speed'],
      parts: ['all'],
      alarms: ['system'],
      countsSingleParts: false,
    })
  })

  it('A device whose part counter is discrete reports single parts', () => {
    for (const rest of ['discrete="true"', 'representation="DISCRETE"'])
      assert.isTrue(
        descriptionOf(`<DataItems>${item('part', 'EVENT', 'PART_COUNT', rest)}</DataItems>`)?.countsSingleParts,
      )
  })
})
