import { Component, type FunctionComponent, h } from 'preact'

/** A component that is drawn again only when one of its properties is another. */
export function memo<Props extends object>(component: FunctionComponent<Props>): FunctionComponent<Props> {
  class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      const before: object = this.props
      return Object.entries(next).some(([name, value]) => Reflect.get(before, name) !== value)
    }
    override render() {
      return h(component, this.props)
    }
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- preact takes either kind of component
  return Memo as unknown as FunctionComponent<Props>
}
