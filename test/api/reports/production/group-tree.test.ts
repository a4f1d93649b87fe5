import { expect } from 'chai'
import * as fc from 'fast-check'
import type { Member } from '../../../../api/reports/member.ts'
import { GroupTree, root } from '../../../../api/reports/production/group-tree.ts'

const members = Array.from({ length: 40 }, (_, index): Member => {
  const id = String(index)
  return { id, entity: {}, flat: {}, cells: [], order: [id], index: index % 7, position: index }
})
const paths = fc.array(fc.array(fc.constantFrom(...members), { maxLength: 4 }), { maxLength: 3000, size: 'max' })

/** The ids along each group's way, and how many groups there are at all. */
function outline(tree: GroupTree): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (group: number, way: readonly string[]) => {
    for (const child of tree.childrenOf(group)) {
      expect(tree.parentOf(child)).to.equal(group)
      expect(child).to.be.greaterThan(group)
      const further = [...way, tree.memberOf(child).id]
      expect(found.has(further.join('/'))).to.equal(false)
      found.add(further.join('/'))
      visit(child, further)
    }
  }
  visit(root, [])
  expect(tree.size).to.equal(found.size + 1)
  return found
}

describe('a tree of groups', () => {
  it('has one group for each way that was gone, also where members share an index', () => {
    fc.assert(
      fc.property(paths, ways => {
        const tree = new GroupTree()
        const expected = new Set<string>()
        for (const way of ways) {
          way.reduce((group, member) => tree.within(group, member), root)
          way.forEach((_, i) =>
            expected.add(
              way
                .slice(0, i + 1)
                .map(({ id }) => id)
                .join('/'),
            ),
          )
        }
        expect(outline(tree)).to.deep.equal(expected)
      }),
      { numRuns: 30 },
    )
  })

  it('stands for nothing as a whole', () => {
    expect(() => new GroupTree().memberOf(root)).to.throw('invariant')
  })
})
