'use strict'
// Runs a built script of the product after checking the version of Node. Old versions must parse this file: no newer syntax.
var needed = require('./package.json').engines.node.replace('>=', '').split('.').map(Number)
var found = process.versions.node.split('.').map(Number)
var isOld = found[0] < needed[0] || (found[0] === needed[0] && found[1] < needed[1])
if (isOld) {
  console.error(
    'Takt needs Node ' +
      needed.join('.') +
      ' or newer; this is ' +
      process.versions.node +
      ' (' +
      process.execPath +
      ').\n' +
      'What to do: install a newer Node from https://nodejs.org/ and run npm install again.',
  )
  process.exit(1)
} else {
  // The embedded engine would read an INSERT's data from standard input too. The lowest free descriptor is 0.
  var fs = require('fs')
  fs.closeSync(0)
  fs.openSync('/dev/null', 'r')
  var script = process.argv[2]
  if (script === 'main.ts') console.log('\n  Takt ' + require('./package.json').version + ' is starting …')
  import('./service/build/built-scripts.mjs')
    .then(function (scripts) {
      return scripts.builtScript(__dirname, script)
    })
    .then(function (file) {
      process.argv.splice(1, 2, file)
      return import(require('url').pathToFileURL(file).href)
    })
    .catch(function (error) {
      console.error(error)
      process.exit(1)
    })
}
