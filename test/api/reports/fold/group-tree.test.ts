import { expect } from 'chai'
import * as fc from 'fast-check'
import type { GroupMember } from '../../../../api/reports/groupings/grouping-levels.ts'
import { GroupTree, root } from '../../../../api/reports/fold/group-tree.ts'

const members = Array.from({ length: 40 }, (_, position): GroupMember => {
  const id = String(position)
  return { id, entity: {}, flat: {}, cells: [], order: [id], position }
})
const rank = fc.nat({ max: members.length - 1 })
const paths = fc
  .nat({ max: 4 })
  .chain(depth => fc.array(fc.array(rank, { minLength: depth, maxLength: depth }), { maxLength: 3000, size: 'max' }))

const anyGroup = () => true

/** The ids along each group's path, depth first, in the order of the tree. */
function outline(tree: GroupTree, levels: number): readonly string[] {
  const found: string[] = []
  const visit = (group: number, way: readonly string[]) => {
    for (const child of tree.childrenOf(group, anyGroup)) {
      expect(child).to.be.within(tree.levelStart(way.length + 1), tree.levelStart(way.length + 2) - 1)
      const further = [...way, tree.memberOf(child).id]
      found.push(further.join('/'))
      visit(child, further)
    }
  }
  visit(root, [])
  expect(tree.size).to.equal(found.length + 1)
  expect(tree.levelStart(levels + 1)).to.equal(tree.size)
  return found
}

/** A tree of all paths, and the group at the end of each. */
function treeOf(ways: readonly (readonly number[])[], levels: number) {
  const tree = new GroupTree()
  let groups: Int32Array = new Int32Array(ways.length)
  for (let level = 0; level < levels; level++)
    groups = tree.addLevel(
      groups,
      Int32Array.from(ways, way => way[level] ?? 0),
      members,
    )
  return { tree, groups }
}

describe('GroupTree', () => {
  it('A group tree has one group for each prefix of a path, in order', () => {
    fc.assert(
      fc.property(paths, ways => {
        const levels = ways[0]?.length ?? 0
        const { tree, groups } = treeOf(ways, levels)
        const parts = new Map(
          ways.flatMap(way => way.map((_, i) => [way.slice(0, i + 1).join('/'), way.slice(0, i + 1)])),
        )
        const expected = [...parts.values()].sort(byNumbers).map(part => part.join('/'))
        expect(outline(tree, levels)).to.deep.equal(expected)
        for (const [i, way] of ways.entries()) {
          if (levels > 0) expect(tree.memberOf(groups[i] ?? root).id).to.equal(String(way.at(-1)))
        }
      }),
      { numRuns: 30 },
    )
  })

  it('The group tree of a report without rows has only its root', () => {
    const { tree } = treeOf([], 3)
    expect(tree.size).to.equal(1)
    expect(tree.childrenOf(root, anyGroup)).to.deep.equal([])
    expect(tree.levelStart(3)).to.equal(1)
  })

  it('The root of a group tree has no member', () => {
    expect(() => new GroupTree().memberOf(root)).to.throw('invariant')
  })
})

/** Number by number; a prefix comes first. */
function byNumbers(a: readonly number[], b: readonly number[]): number {
  const differing = a.findIndex((number, i) => number !== b[i])
  return differing === -1 ? a.length - b.length : (a[differing] ?? 0) - (b[differing] ?? -1)
}
