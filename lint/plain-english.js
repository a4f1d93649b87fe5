import { relative } from 'node:path'
import { describeFinding, findingsIn } from './english/sentences.mjs'

/**
 * Rejects the forms of English that STYLE.md lists in comments, test titles, messages and log lines. `npm run static` checks SQL, CSS and
 * the documents with the same forms (`lint/check-documents.mjs`).
 */
export const plainEnglish = {
  meta: { type: 'problem', docs: { description: 'Comments, titles and messages are plain standard English' } },
  create(context) {
    const file = relative(context.cwd, context.filename)
    const isTest = file.startsWith('test/')
    const check = (kind, text, node) => {
      for (const finding of findingsIn(file, kind, text)) context.report({ node, message: describeFinding(finding) })
    }
    return {
      Program() {
        if (!isTest)
          for (const comment of joinLines(context.sourceCode.getAllComments()))
            check('comment', comment.text, comment.node)
      },
      Literal(node) {
        if (typeof node.value === 'string') checkString(check, file, node, node.value)
      },
      TemplateLiteral(node) {
        if (node.parent.type === 'TaggedTemplateExpression') return
        checkString(check, file, node, node.quasis.map(quasi => quasi.value.cooked ?? '').join('…'))
      },
    }
  },
}

/** Comments as texts: consecutive line comments are one text, directives of tools are left out. */
function joinLines(comments) {
  const joined = []
  for (const node of comments) {
    const text = node.value.replace(/^\s*(?:oxlint|eslint|prettier|c8|@ts|#|istanbul|<reference)\S*(?:.*? -- |.*$)/, '')
    const last = joined.at(-1)
    const follows =
      last !== undefined &&
      node.type === 'Line' &&
      last.node.type === 'Line' &&
      last.endLine + 1 === node.loc.start.line
    if (follows) {
      last.text += `\n${text}`
      last.endLine = node.loc.end.line
    } else joined.push({ node, text: text.replace(/^\*/, '').replace(/\n\s*\*/g, '\n'), endLine: node.loc.end.line })
  }
  return joined
}

function checkString(check, file, node, text) {
  const kind = kindOf(file, node)
  const isProse = kind === 'ui' ? /[A-Za-z]{2}/ : /[A-Za-z]{2} [A-Za-z…]/
  if (kind !== null && isProse.test(text)) check(kind, text, node)
}

/** The kind of a string, null for a string that is not checked. */
function kindOf(file, node) {
  const { parent } = node
  const callee = parent.type === 'CallExpression' && parent.arguments[0] === node ? nameOf(parent.callee) : ''
  if (file.startsWith('test/')) {
    if (/^(?:it|test)(?:\.\w+)?$/.test(callee)) return 'title'
    return /^describe(?:\.\w+)?$/.test(callee) ? 'group' : null
  }
  if (/^(?:lint|bench|docs)\//.test(file) || parent.type === 'ImportDeclaration') return null
  if (/^web\/(?:.*[./])?en\.ts$/.test(file)) return 'ui'
  if (file.startsWith('web/')) return null
  return isLog(parent) ? 'log' : 'message'
}

const isLog = parent =>
  parent.type === 'CallExpression' &&
  /\b(?:log|logger)\.(?:trace|debug|info|warn|error|fatal)$/.test(nameOf(parent.callee))

function nameOf(callee) {
  if (callee.type === 'Identifier') return callee.name
  if (callee.type !== 'MemberExpression') return ''
  return `${nameOf(callee.object)}.${callee.property.name ?? ''}`
}
