import { lexer, type Token, type Tokens } from 'marked'

/** A heading, paragraph, cell or block of code of a guide: what is equal in each language. */
export interface Block {
  /** A block of code has its code here. */
  readonly kind: string
  /** Sorted, as all lists here: the order of words differs between languages. */
  readonly code: readonly string[]
  readonly links: readonly string[]
  readonly pictures: readonly string[]
  /** Without separators: 1,000 and 1.000 are equal. */
  readonly numbers: readonly string[]
  /** How often text is bold or italic. */
  readonly emphasized: number
  /** For messages of tests. */
  readonly text: string
}

/** Returns the blocks of a Markdown text in their order, with the starts of lists, items and rows. */
export function blocksOf(markdown: string): readonly Block[] {
  return lexer(markdown).flatMap(blocksIn)
}

function blocksIn(token: Token): readonly Block[] {
  if (isOf('space', token)) return []
  if (isOf('code', token)) return [block(`code ${token.raw.trim()}`)]
  if (isOf('heading', token)) return [block(`heading ${token.depth}`, token.tokens)]
  if (isOf('list', token))
    return [
      block(token.ordered ? 'numbered list' : 'list'),
      ...token.items.flatMap(item => [block('item')].concat(item.tokens.flatMap(blocksIn))),
    ]
  if (isOf('table', token))
    return [token.header, ...token.rows].flatMap(cells =>
      [block('row')].concat(cells.map(cell => block('cell', cell.tokens))),
    )
  return [block(token.type, childrenOf(token))]
}

interface TokenTypes {
  readonly space: Tokens.Space
  readonly code: Tokens.Code
  readonly heading: Tokens.Heading
  readonly list: Tokens.List
  readonly table: Tokens.Table
  readonly codespan: Tokens.Codespan
  readonly link: Tokens.Link
  readonly image: Tokens.Image
  readonly strong: Tokens.Strong
  readonly em: Tokens.Em
}

function isOf<Type extends keyof TokenTypes>(type: Type, token: Token): token is TokenTypes[Type] {
  return token.type === type
}

function block(kind: string, tokens: readonly Token[] = []): Block {
  const all = tokens.flatMap(withDescendants)
  const of = <Type extends keyof TokenTypes>(type: Type) => all.filter(token => isOf(type, token))
  const text = all
    .filter(token => token.type === 'text' && childrenOf(token).length === 0)
    .map(({ raw }) => raw)
    .join('')
  return {
    kind,
    code: of('codespan')
      .map(token => token.text)
      .toSorted(),
    links: of('link')
      .map(({ href }) => href)
      .toSorted(),
    pictures: of('image')
      .map(({ href }) => href)
      .toSorted(),
    numbers: (text.match(/\d(?:[\d.,]*\d)?/g) ?? []).map(number => number.replaceAll(/[.,]/g, '')).toSorted(),
    emphasized: of('strong').length + of('em').length,
    text,
  }
}

function withDescendants(token: Token): readonly Token[] {
  return [token, ...childrenOf(token).flatMap(withDescendants)]
}

function childrenOf(token: Token): readonly Token[] {
  return 'tokens' in token ? (token.tokens ?? []) : []
}
