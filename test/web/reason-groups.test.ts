import { assert } from 'chai'
import type { DowntimeReasonResponse } from '../../schema/records/downtime-reason.ts'
import { appliesToAll, groupReasons, inGroupOrder, reasonTitle } from '../../web/data/reason-groups.ts'

function reason(id: number, group: string | null, machineGroupIds: readonly string[] = []): DowntimeReasonResponse {
  return { id, name: `R${id}`, color: '#808080', planned: false, hidden: false, group, machineGroupIds }
}

const inGroups = (...ids: readonly string[]) => ({ machineGroups: ids.map(id => ({ id, name: id })) })

describe('the groups of downtime reasons', () => {
  const reasons = [reason(1, 'Setup'), reason(2, null), reason(3, 'Cleaning'), reason(4, 'Setup'), reason(5, null)]

  it('Reasons without a group are first, then the groups in the order of their first reasons', () => {
    assert.deepEqual(
      groupReasons(reasons).map(group => [group.name, group.reasons.map(({ id }) => id)]),
      [
        [null, [2, 5]],
        ['Setup', [1, 4]],
        ['Cleaning', [3]],
      ],
    )
    assert.deepEqual(
      inGroupOrder(reasons).map(({ id }) => id),
      [2, 5, 1, 4, 3],
    )
    assert.deepEqual(groupReasons([]), [])
  })

  it('Some reasons in the order of groups keep this order, so that their keys are those of the palette', () => {
    const some = inGroupOrder(reasons).filter(({ id }) => id !== 1 && id !== 2)
    assert.deepEqual(inGroupOrder(some), some)
  })

  it('A reason applies to machines of which each is in one of its machine groups', () => {
    const [lathe, mill, both, none] = [inGroups('lathes'), inGroups('mills'), inGroups('mills', 'lathes'), inGroups()]
    const ofLathes = reason(1, null, ['lathes', 'saws'])
    assert.isTrue(appliesToAll(ofLathes, [lathe, both]))
    assert.isFalse(appliesToAll(ofLathes, [lathe, mill]))
    assert.isFalse(appliesToAll(ofLathes, [none]))
    assert.isTrue(appliesToAll(ofLathes, []), 'without stops, the palette shows all reasons')
    assert.isTrue(appliesToAll(reason(2, null), [none, mill]))
  })

  it('The title of a reason contains its group', () => {
    assert.deepEqual([reason(1, 'Setup'), reason(2, null)].map(reasonTitle), ['Setup: R1', 'R2'])
  })
})
