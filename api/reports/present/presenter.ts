import type { GroupingName } from '../../../schema/groupings.ts'
import type { Folded } from '../fold/fold.ts'
import { type Group, root } from '../fold/group-tree.ts'
import type { GroupingLevel } from '../groupings/grouping-levels.ts'
import type { GroupMember } from '../groupings/member.ts'

/** The values of groups that a report shows. */
export interface GroupValues<Value extends PresentedValue> {
  /** Names of the values of a group, in the order of the answer. */
  readonly names: readonly string[]
  /** One of them, by its index among the names. */
  readonly valueAt: (group: Group, index: number) => Value
  /** Whether a group is shown. */
  readonly isThere: (group: Group) => boolean
}

/** How a report's groups are shown. */
export interface Presenter<Value extends PresentedValue> extends Omit<GroupValues<Value>, 'isThere'> {
  readonly groups: readonly GroupingName[]
  /** The groups of the next level within it that are shown, in order. */
  readonly childrenOf: (group: Group) => readonly Group[]
  readonly memberOf: (group: Group) => GroupMember
  /** The members that the groups of a level stand for, each once, in order; 0: those of the first grouping. */
  readonly membersAt: (level: number) => readonly GroupMember[]
}

export type PresentedValue = number | string | null

/** Pure: the groups of a report with what they say. */
export function createPresenter<Value extends PresentedValue>(
  { tree }: Pick<Folded, 'tree'>,
  levels: readonly GroupingLevel[],
  { names, valueAt, isThere }: GroupValues<Value>,
): Presenter<Value> {
  return {
    groups: levels.map(({ group }) => group),
    childrenOf: group => tree.childrenOf(group, isThere),
    memberOf: group => tree.memberOf(group),
    membersAt: level => tree.membersAt(level + 1, isThere),
    names,
    valueAt,
  }
}

/** The groups of the last level in order, each with what it and those above it stand for. The whole report where nothing is grouped by. */
export function* deepest(
  presenter: Presenter<PresentedValue>,
  parent = root,
  above: readonly GroupMember[] = [],
): Generator<{ readonly members: readonly GroupMember[]; readonly group: Group }> {
  const left = presenter.groups.length - above.length
  if (left === 0) return yield { members: [], group: parent }
  for (const group of presenter.childrenOf(parent)) {
    const members = [...above, presenter.memberOf(group)]
    if (left === 1) yield { members, group }
    else yield* deepest(presenter, group, members)
  }
}
