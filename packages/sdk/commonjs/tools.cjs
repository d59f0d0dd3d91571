module.exports = require("../dist/tools/index.js");
